// Replaces KSOPS as a plugin of kustomize: decrypts the named files with the key of SOPS_AGE_KEY_FILE.
import { readFileSync } from 'node:fs'
import { decryptSops } from 'sops-age'
import { parse, stringify } from 'yaml'

const { functionConfig } = parse(readFileSync(0, 'utf8')) as { functionConfig: { files: string[] } }
const [secretKey] = /^AGE-SECRET-KEY-\S+$/m.exec(readFileSync(process.env.SOPS_AGE_KEY_FILE!, 'utf8'))!
const items = await Promise.all(
  functionConfig.files.map(file =>
    decryptSops(readFileSync(file, 'utf8'), { fileType: 'yaml', secretKey: secretKey! }),
  ),
)
console.log(stringify({ apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items }))

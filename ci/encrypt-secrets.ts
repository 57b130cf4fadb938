// Encrypts a Secret for Git in the format of SOPS, for the age recipients of .sops.yaml: node ci/encrypt-secrets.ts IN OUT. For
// machines without `sops`; `sops` and KSOPS can read the output.
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { armor, Encrypter } from 'age-encryption'
import { parse, stringify } from 'yaml'

interface Rule {
  path_regex: string
  encrypted_regex: string
  age: string
}

type Tree = { [key: string]: string | Tree }

const root = join(import.meta.dirname, '..')
/** SOPS uses nonces of this length, longer than usual. */
const nonceBytes = 32

export async function encryptSecrets(secret: Tree, rule: Rule, now = new Date()): Promise<Tree> {
  const dataKey = randomBytes(32)
  const modified = `${now.toISOString().slice(0, 19)}Z`
  const isSecret = new RegExp(rule.encrypted_regex)
  const values: string[] = []
  const sealedTree = (tree: Tree, path: string[]): Tree =>
    Object.fromEntries(
      Object.entries(tree).map(([key, value]) => {
        const here = [...path, key]
        if (typeof value !== 'string') return [key, sealedTree(value, here)]
        values.push(value)
        return [
          key,
          here.some(part => isSecret.test(part)) ? sealed(value, dataKey, `${here.join(':')}:`) : value,
        ]
      }),
    )
  const tree = sealedTree(secret, [])
  const digest = createHash('sha512').update(values.join('')).digest('hex').toUpperCase()
  const sops = {
    age: await Promise.all(rule.age.split(',').map(recipient => keyFor(recipient.trim(), dataKey))),
    lastmodified: modified,
    mac: sealed(digest, dataKey, modified),
    encrypted_regex: rule.encrypted_regex,
    version: '3.11.0',
  }
  return { ...tree, sops } as unknown as Tree
}

function sealed(value: string, key: Buffer, path: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(path))
  const data = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
  const [text, iv, tag] = [data, nonce, cipher.getAuthTag()].map(bytes => bytes.toString('base64'))
  return `ENC[AES256_GCM,data:${text},iv:${iv},tag:${tag},type:str]`
}

async function keyFor(recipient: string, dataKey: Buffer): Promise<{ recipient: string; enc: string }> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return { recipient, enc: armor.encode(await encrypter.encrypt(dataKey)) }
}

function ruleFor(path: string): Rule {
  const { creation_rules: rules } = parse(readFileSync(join(root, '.sops.yaml'), 'utf8')) as {
    creation_rules: Rule[]
  }
  const rule = rules.find(each => new RegExp(each.path_regex).test(path))
  if (!rule)
    throw new Error(
      `.sops.yaml has no rule for ${path}; name it like deploy/kubernetes/secrets/NAME.sops.yaml`,
    )
  return rule
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2)
  if (!from || !to) {
    console.error('node ci/encrypt-secrets.ts SECRET.yaml deploy/kubernetes/secrets/NAME.sops.yaml')
    process.exitCode = 2
  } else
    writeFileSync(to, stringify(await encryptSecrets(parse(readFileSync(from, 'utf8')) as Tree, ruleFor(to))))
}

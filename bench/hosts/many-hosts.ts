// One nginx that listens on every loopback address.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

export class ManyHosts implements AsyncDisposable {
  readonly port: number
  readonly #process: ChildProcess

  private constructor(port: number, child: ChildProcess) {
    this.port = port
    this.#process = child
  }

  /** The server closes a connection after `requests` requests. */
  static async start(workDirectory: string, requests: number): Promise<ManyHosts> {
    const own = join(workDirectory, 'nginx')
    mkdirSync(own, { recursive: true })
    const port = await freePort()
    writeFileSync(join(own, 'page.html'), page())
    writeFileSync(join(own, 'nginx.conf'), configuration(own, port, requests))
    const child = spawn('nginx', ['-p', own, '-e', join(own, 'error.log'), '-c', join(own, 'nginx.conf')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    process.once('exit', () => child.kill('SIGTERM'))
    await answers(port)
    return new ManyHosts(port, child)
  }

  /** The number of accepted connections so far, over all hosts. */
  async accepted(): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.port}/accepted`)).text()
    return Number(/\n\s*(\d+)/.exec(text)?.[1])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGTERM')
    if (this.#process.exitCode === null) await once(this.#process, 'exit')
  }
}

/** A page of about 17 KB with 40 links, like the pages of the other benchmarks. */
function page(): string {
  const links = Array.from({ length: 40 }, (_, index) => `<li><a href="/item/${index}">Item ${index}</a>`)
  const words = '<p>Solid words in a row that make a page as long as pages are. '.repeat(240)
  return `<!doctype html><title>A page</title><h1>A page</h1><ul>${links.join('')}</ul>${words}`
}

const configuration = (
  own: string,
  port: number,
  requests: number,
): string => `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid ${own}/nginx.pid;
events { worker_connections 32768; }
http {
  keepalive_requests ${requests};
  keepalive_timeout 300s;
  access_log off;
  client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy; fastcgi_temp_path ${own}/fastcgi;
  uwsgi_temp_path ${own}/uwsgi; scgi_temp_path ${own}/scgi;
  server {
    listen 0.0.0.0:${port} backlog=4096;
    root ${own};
    default_type text/html;
    location = /accepted { stub_status; }
    location / { try_files /page.html =404; }
  }
}
`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function answers(port: number): Promise<void> {
  const deadline = Date.now() + 10_000
  while (Date.now() < deadline) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error('nginx did not answer')
}

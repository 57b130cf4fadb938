// Serves sites with nginx on loopback ports, with one worker, and reports when a crawl requested its first page.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

export interface Site {
  port: number
  pages: number
}

export class Nginx implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #firstRequests: string
  readonly sites: Site[]

  private constructor(process: ChildProcess, firstRequests: string, sites: Site[]) {
    this.#process = process
    this.#firstRequests = firstRequests
    this.sites = sites
  }

  static async start(workDirectory: string, roots: Array<{ root: string; pages: number }>): Promise<Nginx> {
    const own = join(workDirectory, 'nginx')
    rmSync(own, { recursive: true, force: true })
    mkdirSync(own, { recursive: true })
    const sites = await Promise.all(
      roots.map(async ({ root, pages }) => ({ root, pages, port: await freePort() })),
    )
    writeFileSync(join(own, 'nginx.conf'), configuration(own, sites))
    const child = spawn('nginx', ['-p', own, '-e', join(own, 'error.log'), '-c', join(own, 'nginx.conf')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    process.once('exit', () => child.kill('SIGTERM'))
    await Promise.race([answers(sites[0]!.port), failed(child)])
    return new Nginx(child, join(own, 'first-requests.log'), sites)
  }

  /** The time of the first request for a page or robots.txt of the site, at or after `sinceMs`. */
  firstRequestMs(port: number, sinceMs: number): number | null {
    for (const line of readFileSync(this.#firstRequests, 'utf8').split('\n')) {
      const [atPort, atSeconds] = line.split(' ').map(Number)
      if (atPort === port && atSeconds! * 1_000 >= sinceMs) return atSeconds! * 1_000
    }
    return null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return
    this.#process.kill('SIGTERM')
    await once(this.#process, 'exit')
  }
}

/** Only the first page and robots.txt are logged: enough to time a crawl, too little to slow it. */
function configuration(own: string, sites: Array<{ root: string; port: number }>): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${own}/nginx.pid;
error_log ${own}/error.log;
events { worker_connections 4096; }
http {
  types { text/html html htm; text/plain txt; text/css css; text/javascript js; image/png png; image/svg+xml svg; }
  default_type application/octet-stream;
  charset utf-8;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 10000000;
  keepalive_timeout 300s;
  access_log off;
  log_format first '$server_port $msec';
  ${temporary.map(name => `${name}_temp_path ${own}/${name};`).join(' ')}
${sites.map(site => serverBlock(own, site)).join('\n')}
}
`
}

function serverBlock(own: string, { root, port }: { root: string; port: number }): string {
  return `  server {
    listen 127.0.0.1:${port} backlog=1024;
    root ${root};
    location = / { access_log ${own}/first-requests.log first; try_files /index.html =404; }
    location = /robots.txt { access_log ${own}/first-requests.log first; }
  }`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function answers(port: number): Promise<void> {
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      response => response.ok,
      () => false,
    )
    if (isUp) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

async function failed(child: ChildProcess): Promise<never> {
  const [problem] = await Promise.race([once(child, 'exit'), once(child, 'error').catch(error => [error])])
  throw new Error(`nginx did not start (${problem}); run bench/setup, or read bench/.work/nginx/error.log`)
}

// A fast target on loopback: nginx that answers every path with a small page.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'

export interface Target extends AsyncDisposable {
  /** The `host:port` of the server. */
  place: string
}

export async function startTarget(workDirectory: string): Promise<Target> {
  const own = join(workDirectory, 'target')
  mkdirSync(own, { recursive: true })
  const port = await freePort()
  writeFileSync(join(own, 'nginx.conf'), configuration(own, port))
  const child = spawn('nginx', ['-p', own, '-e', join(own, 'error.log'), '-c', join(own, 'nginx.conf')], {
    stdio: 'inherit',
  })
  process.once('exit', () => child.kill('SIGTERM'))
  const place = `127.0.0.1:${port}`
  while (!(await answers(`http://${place}/`))) await new Promise(resolve => setTimeout(resolve, 20))
  return {
    place,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    response => response.ok,
    () => false,
  )

function configuration(own: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const page =
    '<!DOCTYPE html><title>Item $uri</title><h1>Item $uri</h1><p class="price">12.50</p><a href="/next">next</a>'
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${own}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 100000000;
  keepalive_timeout 300s;
  default_type text/html;
  ${temporary.map(name => `${name}_temp_path ${own}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location = /robots.txt { return 404; }
    location / { return 200 '${page}'; }
  }
}
`
}

/** Serves the built site on loopback, until Ctrl-C. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { parseSiteArguments, siteFolder } from './site-folder.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** The pages contain inline scripts of the generator, and load nothing of another host. */
const contentPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const { base, port } = parseSiteArguments(process.argv.slice(2))
// Only listed files are served, so that no path leaves the folder.
const files = new Set(readdirSync(siteFolder, { recursive: true, encoding: 'utf8' }))

const server = createServer((request, response) => {
  const path = decodePath(request.url ?? '/')
  const file = path.endsWith('/') || path === '' ? `${path}index.html` : path
  const isFound = files.has(file) && extname(file) !== ''
  response.writeHead(isFound ? 200 : 404, {
    'content-type': contentTypes[extname(file)] ?? 'text/html; charset=utf-8',
    'content-security-policy': contentPolicy,
    'x-content-type-options': 'nosniff',
  })
  response.end(readFileSync(join(siteFolder, isFound ? file : '404.html')))
})

/** Returns the path below the base, or the path of no file if the address is malformed. */
function decodePath(url: string): string {
  try {
    const { pathname } = new URL(url, 'http://localhost')
    return pathname.startsWith(base) ? decodeURIComponent(pathname.slice(base.length)) : '404.html'
  } catch {
    return '404.html'
  }
}

server.on('error', thrown => {
  console.error(`error: cannot serve the site on port ${port}: ${thrown.message}`)
  console.error('  hint: pass another port: npm run docs -- --serve --port 4174')
  process.exitCode = 1
})
server.listen(port, '127.0.0.1', () => {
  const address = server.address()
  const servedPort = typeof address === 'object' ? address?.port : port
  console.log(`The documentation is at http://127.0.0.1:${servedPort}${base} until Ctrl-C.`)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0))

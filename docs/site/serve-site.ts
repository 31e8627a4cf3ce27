/** Serves the built site on loopback, until Ctrl-C. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { listSiteFiles, parseSiteArguments, siteFolder } from './site-folder.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** The pages contain inline scripts of VitePress, and load nothing from another host. */
const contentPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const { base, port } = parseSiteArguments(process.argv.slice(2))
// Only listed files are served, so that no path leaves the folder.
const files = listSiteFiles(siteFolder)

const server = createServer((request, response) => {
  const file = findFile(request.url ?? '/')
  const sentFile = file ?? '404.html'
  response.writeHead(file === undefined ? 404 : 200, {
    'content-type': contentTypes[extname(sentFile)] ?? 'text/html; charset=utf-8',
    'content-security-policy': contentPolicy,
    'x-content-type-options': 'nosniff',
  })
  response.end(readFileSync(join(siteFolder, sentFile)))
})

/** Returns the file of an address. Returns undefined if it is malformed, or names no file. */
function findFile(url: string): string | undefined {
  const path = decodePath(url)
  if (path === undefined) return undefined
  const file = path.endsWith('/') || path === '' ? `${path}index.html` : path
  return files.has(file) ? file : undefined
}

/** Returns the path below the base. Returns undefined for a malformed address or one outside. */
function decodePath(url: string): string | undefined {
  try {
    const { pathname } = new URL(url, 'http://localhost')
    return pathname.startsWith(base) ? decodeURIComponent(pathname.slice(base.length)) : undefined
  } catch {
    return undefined
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

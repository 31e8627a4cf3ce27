/** Registries of packages on loopback that require a token, in the forms of npm and of PyPI. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { create } from 'tar'
import type { RepositoryFiles } from '../e2e/github-host.ts'

/** A registry that serves packages to holders of its token only. */
export interface PrivateRegistry {
  readonly origin: string
  /** The statuses and paths of its responses, oldest first. */
  readonly responses: readonly string[]
  /** The authorizations that it received. */
  readonly authorizations: ReadonlySet<string>
  readonly close: () => void
}

/**
 * Starts a registry that serves bodies by path. A request without `authorization` gets the status
 * 401, also for a path without a body.
 */
export async function startPrivateRegistry(
  authorization: string,
  bodies: ReadonlyMap<string, string | Uint8Array>,
): Promise<PrivateRegistry> {
  const responses: string[] = []
  const authorizations = new Set<string>()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    const body = bodies.get(path)
    if (request.headers.authorization !== undefined)
      authorizations.add(request.headers.authorization)
    const isAllowed = request.headers.authorization === authorization
    const status = !isAllowed ? 401 : body === undefined ? 404 : 200
    responses.push(`${status} ${path}`)
    if (status === 401) response.setHeader('www-authenticate', authorization.split(' ')[0] ?? '')
    if (path.endsWith('/')) response.setHeader('content-type', 'text/html')
    response.writeHead(status).end(status === 200 ? body : '{"error":"no access"}')
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    responses,
    authorizations,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The name of the private package, whose main file exports 1. */
export const privatePackage = '@corp/dep'
/** The path of its archive in a registry of npm. */
export const npmArchivePath = `/npm/${privatePackage}/-/dep-1.0.0.tgz`

/** Returns the archive of the private package for npm. */
export function packNpmPackage(): Uint8Array {
  const root = mkdtempSync(join(tmpdir(), 'antichain-private-'))
  try {
    mkdirSync(join(root, 'package'))
    const manifest = { name: privatePackage, version: '1.0.0' }
    writeFileSync(join(root, 'package/package.json'), JSON.stringify(manifest))
    writeFileSync(join(root, 'package/index.js'), 'module.exports = 1\n')
    const file = join(root, 'dep.tgz')
    create({ file, cwd: root, gzip: true, sync: true, portable: true }, ['package'])
    return readFileSync(file)
  } finally {
    rmSync(root, { recursive: true })
  }
}

const wheelScript = `
import sys, zipfile
info = 'corp_dep-1.0.dist-info/'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('corp_dep.py', 'VALUE = 7\\n')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: corp-dep\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
`

/** The private package in Python, whose module `corp_dep` has `VALUE` 7. */
export const privateRequirement = 'corp-dep==1.0'

/**
 * Returns the responses of an index of Python packages, by path: the private package, and all
 * wheels of a folder.
 */
export function createPythonIndex(wheelsFolder: string): ReadonlyMap<string, string | Uint8Array> {
  const root = mkdtempSync(join(tmpdir(), 'antichain-private-'))
  try {
    const name = 'corp_dep-1.0-py3-none-any.whl'
    execFileSync('python3', ['-c', wheelScript, join(root, name)])
    const paths = [
      join(root, name),
      ...readdirSync(wheelsFolder).map(file => join(wheelsFolder, file)),
    ]
    return new Map<string, string | Uint8Array>(
      paths.flatMap(path => {
        const file = basename(path)
        const project = (file.split('-')[0] ?? '').toLowerCase().replaceAll(/[._]+/g, '-')
        const links = `<a href="/files/${encodeURIComponent(file)}">${file}</a>`
        return [
          [`/simple/${project}/`, links] as const,
          [`/files/${file}`, readFileSync(path)] as const,
        ]
      }),
    )
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Returns the manifest and the lock file of a program that needs the private package. */
export function createPrivateManifests(
  folder: string,
  { origin, archive }: { readonly origin: string; readonly archive: Uint8Array },
): RepositoryFiles {
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  const manifest = { name: 'site', version: '1.0.0', dependencies: { [privatePackage]: '1.0.0' } }
  const lock = {
    name: 'site',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': manifest,
      [`node_modules/${privatePackage}`]: {
        version: '1.0.0',
        resolved: `${origin}${npmArchivePath}`,
        integrity,
      },
    },
  }
  return {
    [`${folder}/package.json`]: JSON.stringify(manifest),
    [`${folder}/package-lock.json`]: JSON.stringify(lock),
  }
}

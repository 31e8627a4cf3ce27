/**
 * `npm run package`: writes the package that users install into .cache/package, and packs it with
 * `npm pack` as .cache/antichain-<version>.tgz. The package has bundles instead of sources. Files
 * that bundled code locates relative to its module keep their paths.
 */
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync } from 'node:fs'
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { dirname, join, relative, sep } from 'node:path'
import { createBundleOptions, entryPointsOf } from './bundle-options.mjs'
import { createBootstrapFailure, formatSecondsSince, printProgress } from './messages.mjs'
import { createNpmVariables, root } from './paths.mjs'
import { prepare } from './prepare.mjs'

/** The folder with the content of the package. */
const packageFolder = join(root, '.cache', 'package')

/** The files and folders that are copied unchanged. Bundles locate them by the same paths. */
const copiedPaths = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'cli/antichain',
  'cli/sdk/node/sdk-runtime.cjs',
  'cli/sdk/python/sdk-utilities.py',
  'cli/verify/program',
  'shared/programs/hosts/check-memory.cjs',
  'shared/programs/hosts/frame-memory.cjs',
  'shared/programs/hosts/sdk-texts.cjs',
  'shared/programs/hosts/preload-program.cjs',
  'shared/programs/hosts/run-program.py',
  'shared/providers/plugins/dynamic-provider.mjs',
  'shared/providers/plugins/pulumi-resource-pulumi-nodejs',
  'shared/providers/plugins/pulumi-resource-pulumi-python',
]

/** The systems for which the registry has a package with Node, named `node-<system>`. */
const nodeSystems = ['linux-x64', 'linux-arm64']

/** Writes and packs the package, and prints the path of the packed file. */
export async function writePackage() {
  await prepare()
  const startMs = Date.now()
  rmSync(packageFolder, { recursive: true, force: true })
  for (const path of copiedPaths) copyIntoPackage(path, path)
  const protoFiles = readdirSync(join(root, 'proto'), { recursive: true }).filter(
    name => name.endsWith('.proto') && !name.startsWith('gen'),
  )
  for (const name of protoFiles) copyIntoPackage(join('proto', name), join('proto', name))
  copyIntoPackage(join('.cache', 'dashboard'), join('dist', 'dashboard'))
  await bundleCommandLine()
  writeManifest()
  writeFileList()
  const packedFile = pack()
  printProgress(`packed ${relative(root, packedFile)} in ${formatSecondsSince(startMs)}`)
  console.log(packedFile)
  return 0
}

function copyIntoPackage(source, target) {
  const from = join(root, source)
  const to = join(packageFolder, target)
  mkdirSync(dirname(to), { recursive: true })
  if (statSync(from).isDirectory())
    cpSync(realpathSync(from), to, { recursive: true, filter: isCopied })
  else copyFileSync(from, to)
}

const isCopied = path => !/(\.test\.ts|__pycache__|node_modules)$/.test(path)

async function bundleCommandLine() {
  const { build } = await import('esbuild')
  await build({
    ...createBundleOptions(join(root, 'dist', 'cli')),
    entryPoints: entryPointsOf('main'),
    outdir: join(packageFolder, 'dist', 'cli'),
  })
}

/** Writes package.json. The bundles include all packages, so that only Node is a dependency. */
function writeManifest() {
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { name, version, description, license, type, engines, bin, dependencies } = project
  writeJson('package.json', {
    ...{ name, version, description, license, type, engines, bin },
    os: ['linux', 'darwin'],
    files: ['cli', 'dist', 'proto', 'shared', 'CHANGELOG.md'],
    optionalDependencies: Object.fromEntries(
      nodeSystems.map(system => [`node-${system}`, dependencies.node]),
    ),
  })
}

/** Writes the hash of each file, with which `antichain doctor` finds changed and missing files. */
function writeFileList() {
  const hashes = {}
  for (const entry of readdirSync(packageFolder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath ?? entry.path, entry.name)
    const path = relative(packageFolder, file).split(sep).join('/')
    // The modes in the package do not depend on the umask of the clone.
    chmodSync(file, statSync(file).mode & 0o100 ? 0o755 : 0o644)
    hashes[path] = createHash('sha256').update(readFileSync(file)).digest('hex')
  }
  writeJson(join('dist', 'files.json'), { algorithm: 'sha256', files: hashes })
}

function pack() {
  const cache = join(root, '.cache')
  try {
    const args = ['pack', packageFolder, '--json', '--ignore-scripts', '--pack-destination', cache]
    const output = execFileSync('npm', args, {
      cwd: cache,
      env: createNpmVariables(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [{ filename }] = Object.values(JSON.parse(output))
    return join(cache, filename)
  } catch (thrown) {
    throw createBootstrapFailure(
      `npm cannot pack the package: ${thrown.message}`,
      'read the message above',
    )
  }
}

/** Writes a file under another name and renames it, so that no incomplete file can remain. */
function writeJson(name, value) {
  const file = join(packageFolder, name)
  writeFileSync(`${file}.next`, `${JSON.stringify(value, null, 2)}\n`)
  renameSync(`${file}.next`, file)
}

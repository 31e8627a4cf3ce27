/**
 * Bundles the command line into .cache/cli, from which cli/antichain starts it. Reading, stripping
 * and linking a thousand separate modules takes longer than most commands. If a source is newer
 * than the bundle, the launcher runs the sources instead.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { root } from './paths.mjs'
import { createBootstrapFailure, printProgress, elapsedSince } from './messages.mjs'

const folder = join(root, '.cache', 'cli')
/** The file that the launcher starts. Its modification time is the time of the bundle. */
const main = join(folder, 'main.mjs')
/** The sources of the bundle; cli/antichain checks the same ones. */
const sources = ['cli', 'functions', 'local', 'shared', join('proto', 'gen')]
const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'cli/bootstrap/bundle.mjs']
/** A process that started before a new bundle keeps loading parts of the old one. */
const keptMs = 7 * 24 * 3_600_000

/**
 * Reports whether a bundle exists that is not older than its sources. An unpacked or moved file may
 * have an old modification time, so its change time is checked too.
 */
export function isBundled() {
  if (!existsSync(main)) return false
  const madeMs = statSync(main).mtimeMs
  const isNewer = file => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found !== undefined && Math.max(found.mtimeMs, found.ctimeMs) > madeMs
  }
  if (settings.some(file => isNewer(join(root, file)))) return false
  return !sources.some(source =>
    readdirSync(join(root, source), { recursive: true, withFileTypes: true }).some(
      entry =>
        entry.isFile() &&
        /\.(ts|json)$/.test(entry.name) &&
        isNewer(join(entry.parentPath ?? entry.path, entry.name)),
    ),
  )
}

/** Builds the bundle. Its entry is replaced last, in one step. */
export async function bundle() {
  const beganMs = Date.now()
  const entry = join(folder, 'next.mjs')
  keepLast(beganMs)
  try {
    const { build } = await import('esbuild')
    await build({
      entryPoints: {
        next: join(root, 'cli', 'main.ts'),
        thread: join(root, 'shared', 'platform', 'embedded', 'store', 'thread.ts'),
      },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      platform: 'node',
      target: 'node24',
      format: 'esm',
      minifyWhitespace: true,
      legalComments: 'none',
      logLevel: 'error',
      plugins: [ownPlaces],
      // CommonJS packages require `require`, which modules do not have.
      banner: {
        js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
      },
    })
  } catch (thrown) {
    throw createBootstrapFailure(
      `cannot bundle the command line: ${thrown.message}`,
      'read the messages above; if esbuild is broken, run `npm ci` to reinstall it',
    )
  }
  // A source that is saved during the build may be missing from the bundle.
  utimesSync(entry, beganMs / 1_000, beganMs / 1_000)
  renameSync(entry, main)
  prune()
  printProgress(`bundled in ${elapsedSince(beganMs)}`)
}

/**
 * Modules locate neighboring files by `import.meta`. The bundle is in another folder, so
 * `import.meta` is replaced by the location of the source. The thread of the store is an entry of
 * the bundle itself.
 */
const ownPlaces = {
  name: 'own-places',
  setup(building) {
    building.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (relative(root, path).includes('node_modules') || !text.includes('import.meta.'))
        return undefined
      const away = file => JSON.stringify(relative(folder, file))
      const url = `new URL(${away(path)},import.meta.url)`
      const contents = text
        .replace(
          `new URL('./thread.ts', import.meta.url)`,
          `new URL('./thread.mjs',import.meta.place)`,
        )
        .replaceAll('import.meta.dirname', `(import.meta.dirname+'/'+${away(dirname(path))})`)
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll('import.meta.place', 'import.meta.url')
      return { contents, loader: 'ts' }
    })
  },
}

/**
 * The age of bundle parts counts from their replacement, because the bundle may have been started
 * just before.
 */
function keepLast(nowMs) {
  if (!existsSync(main)) return
  const madeMs = statSync(main).mtimeMs
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (file !== main && statSync(file).mtimeMs >= madeMs)
      utimesSync(file, nowMs / 1_000, nowMs / 1_000)
  }
}

/** Removes parts of bundles that no running process can still use. */
function prune() {
  const endedMs = Date.now() - keptMs
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (name !== basename(main) && statSync(file).mtimeMs < endedMs) rmSync(file)
  }
}

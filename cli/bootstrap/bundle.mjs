/**
 * Bundles the command line into .cache/cli, from which cli/antichain starts it: a thousand modules
 * that are read, stripped of their types and linked one by one take longer than most commands do.
 * Sources that are newer than the bundle win: the launcher then runs them as they are.
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
/** The file that the launcher starts, and whose time is the time of the bundle. */
const main = join(folder, 'main.mjs')
/** What the bundle is made from; cli/antichain looks at the same ones. */
const sources = ['cli', 'functions', 'local', 'shared', join('proto', 'gen')]
const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'cli/bootstrap/bundle.mjs']
/** A process that began before a new bundle loads parts of the old one for as long as it runs. */
const keptMs = 7 * 24 * 3_600_000

/**
 * Whether there is a bundle that is not older than what it is made from. What was unpacked or moved
 * here may have kept an old time, but has changed here since.
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

/** Makes the bundle anew; its entry is replaced last and at once. */
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
      // Packages in the older module form ask for `require`, which modules do not have.
      banner: {
        js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
      },
    })
  } catch (thrown) {
    throw createBootstrapFailure(
      `bundling the command line failed: ${thrown.message}`,
      'read the messages above; `npm ci` brings esbuild back if it is broken',
    )
  }
  // What is saved while the bundle is made may not be in it.
  utimesSync(entry, beganMs / 1_000, beganMs / 1_000)
  renameSync(entry, main)
  prune()
  printProgress(`bundled in ${elapsedSince(beganMs)}`)
}

/**
 * Modules find files that lie beside them by `import.meta`: in the bundle, which is elsewhere, that
 * is the place of their source, and the thread of the store is an entry of the bundle itself.
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

/** Parts of a bundle age from when it is replaced: it may have been started just now. */
function keepLast(nowMs) {
  if (!existsSync(main)) return
  const madeMs = statSync(main).mtimeMs
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (file !== main && statSync(file).mtimeMs >= madeMs)
      utimesSync(file, nowMs / 1_000, nowMs / 1_000)
  }
}

/** Removes parts of bundles that nobody can be running any more. */
function prune() {
  const endedMs = Date.now() - keptMs
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (name !== basename(main) && statSync(file).mtimeMs < endedMs) rmSync(file)
  }
}

/**
 * Bundles the command line into .cache/cli, from which cli/antichain starts it. Reading a thousand
 * separate modules and stripping their types takes longer than most commands. If a source is newer
 * than the bundle, cli/antichain runs the sources instead.
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
import { isUpToDate } from './newer-sources.mjs'

const folder = join(root, '.cache', 'cli')
/** The file that cli/antichain starts. Its modification time is the start of its build. */
const mainFile = join(folder, 'main.mjs')
/** The folders with the sources of the bundle. cli/antichain checks the same folders. */
const sourceFolders = ['cli', 'functions', 'local', 'shared', join('proto', 'gen')]
const settingFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'cli/bootstrap/bundle.mjs',
]
/**
 * The time after which the chunks of a replaced bundle are removed. Until then, a process that
 * started before the replacement can still load them.
 */
const retentionMs = 7 * 24 * 3_600_000

/** Reports whether a bundle exists that is not older than its sources. */
export function isBundled() {
  return isUpToDate({ file: mainFile, settingFiles, sourceFolders, sourcePattern: /\.(ts|json)$/ })
}

/** Builds the bundle. Its main file is replaced last, in one step. */
export async function bundle() {
  const startMs = Date.now()
  const entry = join(folder, 'next.mjs')
  touchCurrentChunks(startMs)
  try {
    const { build } = await import('esbuild')
    await build({
      entryPoints: {
        next: join(root, 'cli', 'main.ts'),
        'database-thread': join(root, 'shared/platform/embedded/store/database-thread.ts'),
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
      plugins: [sourceLocations],
      // The clients of other clouds are large CommonJS packages, which only some commands load. A
      // bundle would lose the names of their exports.
      external: ['@azure/*', '@google-cloud/*', 'google-auth-library'],
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
  // The bundle gets the start time of the build. A source that is saved during the build may be
  // missing from the bundle, and then counts as newer.
  utimesSync(entry, startMs / 1_000, startMs / 1_000)
  renameSync(entry, mainFile)
  removeExpiredChunks()
  printProgress(`bundled in ${elapsedSince(startMs)}`)
}

/**
 * Modules locate neighboring files by `import.meta`. The bundle is in another folder, so
 * `import.meta` is replaced by the location of the source. The database thread is an entry of
 * the bundle itself.
 */
const sourceLocations = {
  name: 'source-locations',
  setup(pluginBuild) {
    pluginBuild.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (relative(root, path).includes('node_modules') || !text.includes('import.meta.'))
        return undefined
      const relativePathOf = file => JSON.stringify(relative(folder, file))
      const url = `new URL(${relativePathOf(path)},import.meta.url)`
      const contents = text
        .replace(
          `new URL('./database-thread.ts', import.meta.url)`,
          `new URL('./database-thread.mjs',import.meta.bundleUrl)`,
        )
        .replaceAll(
          'import.meta.dirname',
          `(import.meta.dirname+'/'+${relativePathOf(dirname(path))})`,
        )
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll('import.meta.bundleUrl', 'import.meta.url')
      return { contents, loader: 'ts' }
    })
  },
}

/**
 * Sets the modification time of the current chunks to now, so that their age counts from their
 * replacement. A process may have started just before the replacement.
 */
function touchCurrentChunks(nowMs) {
  if (!existsSync(mainFile)) return
  const builtAtMs = statSync(mainFile).mtimeMs
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (file !== mainFile && statSync(file).mtimeMs >= builtAtMs)
      utimesSync(file, nowMs / 1_000, nowMs / 1_000)
  }
}

/** Removes the chunks of bundles that were replaced more than `retentionMs` ago. */
function removeExpiredChunks() {
  const expiryMs = Date.now() - retentionMs
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (name !== basename(mainFile) && statSync(file).mtimeMs < expiryMs) rmSync(file)
  }
}

/** The settings of esbuild for the bundles of the command line and of the package. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { createBuiltinPlugin } from './bundle-builtins.mjs'
import { root } from './paths.mjs'

/** The sources of the command line's threads, each of which is an entry of the bundle. */
const threads = [
  'shared/platform/embedded/store/database-thread.ts',
  'shared/platform/key-services/service/service-thread.ts',
]

/** Returns the entries of the command line: its main file, named `mainName`, and its threads. */
export function entryPointsOf(mainName) {
  return {
    [mainName]: join(root, 'cli', 'main.ts'),
    ...Object.fromEntries(threads.map(thread => [nameOf(thread), join(root, thread)])),
  }
}

/** Returns the settings of a bundle that runs in `runFolder`, a folder below the project. */
export function createBundleOptions(runFolder) {
  return {
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'error',
    plugins: [createLocationPlugin(runFolder), createNamedExportsPlugin(), createBuiltinPlugin()],
    // CommonJS packages require modules of Node by `require`, which modules do not have.
    banner: {
      js: "const require=name=>process.getBuiltinModule(name)??process.getBuiltinModule('module').createRequire(import.meta.url)(name);",
    },
  }
}

const nameOf = file => /([^/]+)\.ts$/.exec(file)[1]

/**
 * Creates the plugin that replaces `import.meta` by the location of the source. Modules locate
 * neighboring files by `import.meta`, but the bundle is in another folder. Only the URLs of threads
 * refer to the bundle, because the threads are entries of the bundle.
 */
function createLocationPlugin(runFolder) {
  const relativePathOf = file => JSON.stringify(relative(runFolder, file))
  return {
    name: 'source-locations',
    setup(pluginBuild) {
      pluginBuild.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        if (relative(root, path).includes('node_modules') || !text.includes('import.meta.'))
          return undefined
        let contents = text
        for (const thread of threads)
          contents = contents.replace(
            `new URL('./${nameOf(thread)}.ts', import.meta.url)`,
            `new URL('./${nameOf(thread)}.mjs',import.meta.bundleUrl)`,
          )
        contents = contents
          .replaceAll(
            'import.meta.dirname',
            `(import.meta.dirname+'/'+${relativePathOf(dirname(path))})`,
          )
          .replaceAll('import.meta.url', `new URL(${relativePathOf(path)},import.meta.url).href`)
          .replaceAll('import.meta.bundleUrl', 'import.meta.url')
        return { contents, loader: 'ts' }
      })
    },
  }
}

/** The CommonJS packages that modules load by `import()`, and whose named exports they use. */
const dynamicPackages = /^(?:google-auth-library|https-proxy-agent)$/

/**
 * Creates the plugin that adds the named exports of CommonJS packages, as Node does. Without it, a
 * package that a bundle loads by `import()` has only a default export.
 */
function createNamedExportsPlugin() {
  const namespace = 'named-exports'
  return {
    name: namespace,
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: dynamicPackages }, ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined
        return { path: createRequire(join(resolveDir, 'module.js')).resolve(path), namespace }
      })
      pluginBuild.onLoad({ filter: /.*/, namespace }, ({ path }) => {
        const names = Object.keys(createRequire(path)(path)).filter(name => name !== 'default')
        const source = JSON.stringify(path)
        const contents = `import * as library from ${source};export default library;export const {${names.join(',')}}=library;`
        return { contents, resolveDir: dirname(path) }
      })
    },
  }
}

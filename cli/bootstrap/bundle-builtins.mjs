/**
 * Replaces the imports of Node's own modules in a bundle. An `import` of such a module reads all
 * its exports. Some of them are getters that load other modules: those of `node:fs` load its
 * streams. A read by `process.getBuiltinModule` loads only the module itself. Source:
 * docs/benchmarks.md#start-commands-that-only-read.
 */

/** The modules that are loaded at the first call of one of their functions. */
const lazyModules = /^node:(?:child_process|crypto|readline|zlib|http|https|http2|net|tls)$/

/**
 * The importers that get the replacement: the sources of the project, and commander, which imports
 * `node:child_process` for subcommands in files of their own. Other packages keep their imports.
 */
const isReplacedFor = importer => !/node_modules\/(?!commander\/)/.test(importer)

/** Creates the plugin of esbuild. A bundle contains only the exports that it uses. */
export function createBuiltinPlugin() {
  const namespace = 'node-builtins'
  return {
    name: namespace,
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: /^node:/ }, ({ kind, path, importer }) =>
        kind === 'import-statement' && isReplacedFor(importer)
          ? { path, namespace, sideEffects: false }
          : undefined,
      )
      pluginBuild.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: printModule(path),
      }))
    },
  }
}

/**
 * Prints a module with the exports of a module of Node. A function of a lazy module is replaced by
 * a function that loads the module when it is called. A class or value loads it immediately.
 */
function printModule(path) {
  const library = process.getBuiltinModule(path)
  const isLazy = lazyModules.test(path)
  const isFunction = name => typeof library[name] === 'function' && /^[a-z]/.test(name)
  const exports = Object.keys(library)
    .filter(name => name !== 'default')
    .map(name => {
      const read = isLazy && isFunction(name) ? 'delay' : 'read'
      return `export const ${name} = /* @__PURE__ */ $${read}('${name}');`
    })
  const defaultExport = isLazy
    ? `/* @__PURE__ */ new Proxy({}, { get: (_, name) => $read(name) })`
    : `/* @__PURE__ */ $load()`
  return `
    const $load = () => process.getBuiltinModule('${path}');
    const $read = name => $load()[name];
    const $custom = Symbol.for('nodejs.util.promisify.custom');
    const $delay = name => Object.defineProperty(
      (...args) => $read(name)(...args), $custom, { get: () => $read(name)[$custom] });
    export default ${defaultExport};
    ${exports.join('\n')}`
}

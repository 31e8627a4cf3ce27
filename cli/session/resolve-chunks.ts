import { registerHooks } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Makes Node resolve the imports between the chunks of a bundle by their names alone. Otherwise
 * Node looks for each file anew for each importer. `mainFile`: the path of the main file. Does
 * nothing if that is a source, because the imports of sources lead to other folders.
 */
export function resolveChunksByName(mainFile: string): void {
  if (!mainFile.endsWith('.mjs')) return
  const folder = pathToFileURL(`${dirname(mainFile)}/`).href
  registerHooks({
    resolve: (specifier, context, resolveNext) =>
      /^\.\/[^/]+\.mjs$/.test(specifier) && context.parentURL?.startsWith(folder) === true
        ? { url: `${folder}${specifier.slice(2)}`, format: 'module', shortCircuit: true }
        : resolveNext(specifier, context),
  })
}

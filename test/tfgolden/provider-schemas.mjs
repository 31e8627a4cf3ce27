/** The schemas of the provider, in the form of `tofu providers schema -json`. */
import { join } from 'node:path'
import { readGolden, writeGolden } from './case-folder.mjs'
import { formatCanonical, sortKeys } from './lossless-values.mjs'
import { createTofuRun } from './run-tofu.mjs'

const schemaFile = join(import.meta.dirname, 'provider', 'schema.json')

/** Reads the schemas. Returns a function from a resource type to its schema. */
export function readResourceSchemas() {
  const providers = Object.values(readGolden(schemaFile))
  const resources = Object.assign({}, ...providers.map(provider => provider.resource_schemas))
  return resourceType => resources[resourceType]
}

/** Records the schemas with OpenTofu. */
export async function recordSchemas(settings, caseName) {
  const run = createTofuRun(settings, caseName)
  run.writeConfiguration(1)
  const { code, out, err } = await run.runTofu(['providers', 'schema', '-json'], {}, 1)
  run.folder.remove()
  if (code !== 0) throw new Error(`OpenTofu printed no schemas: ${err}${out}`)
  const providers = Object.entries(JSON.parse(out).provider_schemas).map(([source, schemas]) => {
    const parts = Object.entries(sortKeys(schemas)).map(
      ([kind, schema]) => `  "${kind}": ${formatCanonical(schema)}`,
    )
    return `"${source}": {\n${parts.join(',\n')}\n}`
  })
  writeGolden(schemaFile, `{\n${providers.join(',\n')}\n}\n`)
}

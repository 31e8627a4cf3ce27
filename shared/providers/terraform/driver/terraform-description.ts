import type { ProviderDescription } from '../../provider-description.ts'
import { describePackage } from '../mapping/describe-package.ts'
import { formatPackageParameter } from './package-arguments.ts'
import type { PackageParameter } from './package-parameter.ts'
import { createRefusal } from './provider-failure.ts'
import type { TerraformPackage } from './terraform-package.ts'

/** A package of a Terraform provider, and the parameter that identifies it. */
export interface ParameterizedPackage {
  readonly pkg: TerraformPackage
  readonly parameter: PackageParameter
}

/** Creates the description of a provider's package, without mappings of other ecosystems. */
export function createTerraformDescription(
  getPackage: () => ParameterizedPackage,
): ProviderDescription {
  return {
    async getSchema({ name }) {
      const { pkg, parameter } = getPackage()
      if (name !== '' && name !== pkg.name)
        throw createRefusal(`the provider of package '${pkg.name}' has no package '${name}'`)
      return formatSchema(pkg, parameter)
    },
    listMappings: () => Promise.resolve([]),
    getMapping: () => Promise.resolve({ provider: '', data: new Uint8Array() }),
  }
}

function formatSchema(pkg: TerraformPackage, parameter: PackageParameter): string {
  const { name, version, providerName, source, tokens, schemas, provider } = pkg
  const schema = describePackage({
    name,
    version,
    providerName,
    source,
    provider,
    isLocal: parameter.kind === 'local',
    parameter: formatPackageParameter(parameter),
    resources: collect(tokens.resources.toTerraform.keys(), pkg.requireResource),
    dataSources: collect(tokens.dataSources.toTerraform.keys(), pkg.requireDataSource),
    lists: collect(
      tokens.listResources.toTerraform.keys(),
      token => pkg.findListedType(token)?.config,
    ),
    actions: collect(tokens.actions.toTerraform.keys(), pkg.findAction),
    functions: new Map(
      [...tokens.functions.toTerraform].flatMap(([token, tfName]) => {
        const message = schemas.functions.get(tfName)
        return message === undefined ? [] : [[token, message] as const]
      }),
    ),
  })
  return JSON.stringify(schema)
}

function collect<T>(
  tokens: Iterable<string>,
  find: (token: string) => T | undefined,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  for (const token of tokens) {
    const value = find(token)
    if (value !== undefined) found.set(token, value)
  }
  return found
}

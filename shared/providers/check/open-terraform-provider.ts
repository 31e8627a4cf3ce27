import { ProviderError } from '../provider-error.ts'
import type { TerraformProcess } from '../terraform/client/connect-provider.ts'
import { loadTerraformPackage } from '../terraform/driver/load-package.ts'
import type { TerraformPackage } from '../terraform/driver/terraform-package.ts'
import {
  createTerraformProvider,
  type ProviderBinary,
} from '../terraform/driver/terraform-provider.ts'
import type { CheckedSchema, CheckedType } from './checked-schema.ts'
import { createCallRecorder, type CoreCheckSubject } from './core-checks/recorded-calls.ts'
import type { ProviderOpener } from './opened-provider.ts'
import { readPackageSchema } from './read-package-schema.ts'

/** Dependencies of the start of a Terraform provider. */
export interface TerraformOpenerDeps {
  readonly binary: ProviderBinary
  readonly start: (binary: ProviderBinary) => Promise<TerraformProcess>
  /** Reports a message of the provider. */
  readonly report: (text: string) => void
}

/**
 * Creates the opener of a Terraform provider. One recorder collects the calls of all its processes.
 * The opener throws PLUGIN_FAILED, PLUGIN_HANDSHAKE and ProviderError.
 */
export function createTerraformOpener({
  binary,
  start,
  report,
}: TerraformOpenerDeps): ProviderOpener {
  const recorder = createCallRecorder()
  const name = binary.providerName
  const descriptor = { ...binary, name }
  let pkg: TerraformPackage | undefined
  return async () => {
    const process = await start(binary)
    const provider = createTerraformProvider({
      name,
      findBinary: () => Promise.resolve(binary),
      start: () => Promise.resolve({ ...process, client: recorder.wrapClient(process.client) }),
      isEnding: () => false,
      warn: report,
      inform: report,
    })
    const parameter = JSON.stringify({ local: { path: binary.path } })
    await provider.parameterize({
      name,
      version: binary.version,
      value: Buffer.from(parameter).toString('base64'),
    })
    return {
      description: `Terraform protocol ${process.client.protocol}`,
      provider,
      async readSchema() {
        const options = { includes: [], excludes: [] }
        const loaded = await loadTerraformPackage(process.client, descriptor, options)
        pkg ??= loaded
        const text = await provider.describe?.getSchema({ name: '', version: '' })
        return text === undefined ? undefined : addSchemaFacts(readPackageSchema(text), loaded)
      },
      stop: () => process.client.stopProvider(),
      getCoreCheckSubject: token => pkg && findSubject(pkg, token, recorder.getCalls),
      close: provider.close,
    }
  }
}

/**
 * Adds the facts that the schema of a package does not have: which inputs are write-only, and the
 * text of Terraform's schemas.
 */
function addSchemaFacts(schema: CheckedSchema, pkg: TerraformPackage): CheckedSchema {
  const types = [...schema.types].map(([token, type]): readonly [string, CheckedType] => {
    const { block, names } = pkg.requireResource(token)
    const writeOnlyNames = [...block.attributes].flatMap(([tfName, { isWriteOnly }]) =>
      isWriteOnly === true ? [names.toPulumi.get(tfName)?.name] : [],
    )
    const inputs = [...type.inputs].map(
      ([name, property]) =>
        [name, { ...property, isWriteOnly: writeOnlyNames.includes(name) }] as const,
    )
    return [token, { ...type, inputs: new Map(inputs) }]
  })
  return { ...schema, types: new Map(types), text: formatSchemas(pkg) }
}

/** Formats schemas as text. Maps are sorted, so that equal schemas have equal texts. */
function formatSchemas({ schemas }: TerraformPackage): string {
  return JSON.stringify(schemas, (_key, value: unknown) =>
    value instanceof Map
      ? [...value].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
      : value,
  )
}

function findSubject(
  pkg: TerraformPackage,
  token: string,
  getCalls: (typeName: string) => CoreCheckSubject['calls'],
): CoreCheckSubject | undefined {
  try {
    const resource = pkg.requireResource(token)
    return { resource, calls: getCalls(resource.typeName) }
  } catch (thrown) {
    if (thrown instanceof ProviderError) return undefined
    throw thrown
  }
}

import type { PropertyMap } from '../../../values/value.ts'
import type { CheckFailure } from '../../provider.ts'
import type { DiagnosedResponse, MsgpackValue } from '../client/terraform-client.ts'
import type { BuiltConfig } from '../values/build-config.ts'
import { formatPathOf, readProblems } from './diagnostics.ts'
import { buildObjectConfig } from './resource-config.ts'
import type { TypeSchema } from './terraform-package.ts'
import { showWarnings, type TerraformSession } from './terraform-session.ts'
import { encodeValue } from './wire-values.ts'

/** The configuration of an invoke, with all problems that were found in it. */
export interface InvokeConfig extends BuiltConfig {
  readonly encoded: MsgpackValue
  readonly failures: readonly CheckFailure[]
}

/**
 * Builds the configuration of a data source, a list or an action, and lets the provider validate
 * it. Throws ProviderError only when there is no response.
 */
export async function buildInvokeConfig(
  session: TerraformSession,
  schema: TypeSchema,
  request: {
    readonly token: string
    readonly args: PropertyMap
    readonly validate: (config: MsgpackValue) => Promise<DiagnosedResponse>
  },
): Promise<InvokeConfig> {
  const { type } = schema
  const formatPath = formatPathOf(schema)
  const config = buildObjectConfig(schema, request.args)
  const encoded = encodeValue(config.value, type)
  const validated = readProblems(await request.validate(encoded), { type, formatPath })
  showWarnings(session, request.token, validated.warnings)
  return {
    ...config,
    encoded,
    failures: [
      ...config.problems.map(
        ({ message, path }): CheckFailure => ({ property: formatPath(path), reason: message }),
      ),
      ...validated.errors.map(({ message, property }) => ({ property, reason: message })),
    ],
  }
}

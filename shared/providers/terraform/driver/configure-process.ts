import { requireNoErrors } from './require-no-errors.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { containsUnknown } from '../../../values/special-values.ts'
import type { CheckFailure, CheckResult, DiffResult, Provider } from '../../provider.ts'
import { noDiff } from '../../provider.ts'
import { areEqualMaps } from '../../../values/equal.ts'
import { readProviderConfig } from '../mapping/read-provider-config.ts'
import { buildConfig } from '../values/build-config.ts'
import { createConfigError } from '../values/config-problem.ts'
import { formatPathOf, readProblems } from './diagnostics.ts'
import { markSensitiveInputs } from './sensitive-inputs.ts'
import { showWarnings, type TerraformSession } from './terraform-session.ts'
import { encodeValue } from './wire-values.ts'

/** Checks the configuration of a provider: names, types and the provider's own validation. */
export async function checkProviderConfig(
  session: TerraformSession,
  { urn, newInputs }: Parameters<Provider['checkConfig']>[0],
): Promise<CheckResult> {
  const { provider } = session.pkg
  const { inputs, droppedPaths } = readProviderConfig(provider.block, provider.names, newInputs)
  const config = buildConfig(provider.block, inputs)
  const formatPath = formatPathOf(provider)
  const { diagnostics } = await session.client.validateProviderConfig(
    encodeValue(config.value, provider.type),
  )
  const { errors, warnings } = readProblems({ diagnostics }, { type: provider.type, formatPath })
  showWarnings(session, urn, warnings)
  return {
    inputs: markSensitiveInputs(provider.block, provider.names, newInputs),
    failures: [
      ...droppedPaths.map(
        (property): CheckFailure => ({
          property,
          reason: `provider '${session.pkg.name}' has no such property`,
        }),
      ),
      ...config.problems.map(
        ({ message, path }): CheckFailure => ({
          property: formatPath(path),
          reason: message,
        }),
      ),
      ...errors.map(({ message, property }): CheckFailure => ({ property, reason: message })),
    ],
  }
}

/** Compares two configurations. A change never requires a replacement of resources. */
export function compareProviderConfigs({
  oldInputs,
  newInputs,
}: Parameters<Provider['diffConfig']>[0]): DiffResult {
  return areEqualMaps(oldInputs, newInputs) ? noDiff : { ...noDiff, changes: 'some' }
}

/**
 * Configures the process. A configuration with unknown values is skipped, because the provider
 * would be configured incompletely. After a failure, later calls fail with the same error.
 */
export function configureProcess(
  session: TerraformSession,
  { urn, inputs }: Parameters<Provider['configure']>[0],
): Promise<void> {
  if (containsUnknown(inputs)) {
    session.setConfigureOutcome(undefined)
    return Promise.resolve()
  }
  const outcome = sendConfiguration(session, urn, inputs)
  session.setConfigureOutcome(outcome)
  return outcome
}

async function sendConfiguration(
  session: TerraformSession,
  urn: string,
  inputs: PropertyMap,
): Promise<void> {
  const { provider } = session.pkg
  const config = buildConfig(
    provider.block,
    readProviderConfig(provider.block, provider.names, inputs).inputs,
  )
  if (config.problems.length > 0) throw createConfigError(`'${urn}'`, config.problems)
  const response = await session.client.configureProvider(encodeValue(config.value, provider.type))
  requireNoErrors(session, provider, { verb: 'configure', subject: urn, response })
}

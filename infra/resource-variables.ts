import type { FunctionRow } from './function-row.ts'
import type { Settings } from './settings.ts'
import {
  awsVariables,
  type AwsVariable,
  publicUrlVariable,
} from '../shared/config/aws-resource-names.ts'

/**
 * Variables of every function and task. The home folder of Lambda's user cannot be written, so
 * plugins and package managers get the scratch space.
 */
export const processVariables = { HOME: '/tmp' } as const

/**
 * Returns the environment variables of AWS resources. `pool`: `short` for a function, `long` for a
 * task of the long pool.
 */
export type ResourceVariables = (
  variables: readonly AwsVariable[],
  pool: 'short' | 'long',
) => Readonly<Record<string, string>>

/**
 * Creates the variables for the resources of an installation. The result calls the function of a
 * value only if its argument `variables` lists the variable. It omits variables with empty values.
 */
export function createResourceVariables(
  values: Readonly<Record<Exclude<AwsVariable, 'pool'>, () => string>>,
): ResourceVariables {
  return (variables, pool) =>
    Object.fromEntries(
      variables
        .map(variable => [awsVariables[variable], variable === 'pool' ? pool : values[variable]()])
        .filter(([, value]) => value !== ''),
    )
}

/**
 * Returns the variables that switch telemetry on for a function that sends it. They are standard
 * variables of OpenTelemetry.
 */
export function telemetryVariablesOf(
  { telemetryEndpoint, installation }: Settings,
  { name, sendsTelemetry }: FunctionRow,
): Readonly<Record<string, string>> {
  if (telemetryEndpoint === undefined || sendsTelemetry !== true) return {}
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: telemetryEndpoint,
    OTEL_RESOURCE_ATTRIBUTES: `antichain.installation=${installation},antichain.function=${name}`,
  }
}

/** Returns the variable with the public address of the dashboard, for functions that use it. */
export function publicUrlVariablesOf(
  { publicUrl }: Settings,
  { name }: FunctionRow,
): Readonly<Record<string, string>> {
  const usesAddress = name === 'api' || name === 'schedule'
  return publicUrl === undefined || !usesAddress ? {} : { [publicUrlVariable]: publicUrl }
}

import { awsVariables, type AwsVariable } from '../shared/config/aws-resource-names.ts'

/** Returns the environment variables of places, for a process in a pool. */
export type PlaceVariables = (
  wanted: readonly AwsVariable[],
  pool: 'short' | 'long',
) => Readonly<Record<string, string>>

/** Creates the variables for the places of an installation. Their values are read on use. */
export function createPlaceVariables(
  values: Readonly<Record<Exclude<AwsVariable, 'pool'>, () => string>>,
): PlaceVariables {
  return (wanted, pool) =>
    Object.fromEntries(
      wanted.map(place => [awsVariables[place], place === 'pool' ? pool : values[place]()]),
    )
}

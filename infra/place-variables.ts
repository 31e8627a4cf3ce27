import { awsVariables, type AwsVariable } from '../shared/config/aws-resource-names.ts'

/** Environment variables for places, of a process in a pool. */
export type PlaceVariables = (
  wanted: readonly AwsVariable[],
  pool: 'short' | 'long',
) => Readonly<Record<string, string>>

/** The variables of the places of an installation; what they stand for is looked up when asked. */
export function createPlaceVariables(
  values: Readonly<Record<Exclude<AwsVariable, 'pool'>, () => string>>,
): PlaceVariables {
  return (wanted, pool) =>
    Object.fromEntries(
      wanted.map(place => [awsVariables[place], place === 'pool' ? pool : values[place]()]),
    )
}

import { awsVariables, type AwsPlace } from '../shared/config/aws-places.ts'

/** Environment variables for places, of a process in a pool. */
export type Places = (
  wanted: readonly AwsPlace[],
  pool: 'short' | 'long',
) => Readonly<Record<string, string>>

/** The variables of the places of an installation; what they stand for is looked up when asked. */
export function createPlaces(
  values: Readonly<Record<Exclude<AwsPlace, 'pool'>, () => string>>,
): Places {
  return (wanted, pool) =>
    Object.fromEntries(
      wanted.map(place => [awsVariables[place], place === 'pool' ? pool : values[place]()]),
    )
}

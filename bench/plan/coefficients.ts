import { limits } from '../../shared/config/limits.ts'
import { type CommandRequests, measureRequests } from '../../test/aws/budget.ts'
import { dependencyOf, type ShapeName } from './shapes.ts'

/** The requests of a deployment: a fixed part, and a part for each step. */
export interface Coefficients {
  readonly fixed: RequestCounts
  readonly perStep: RequestCounts
}

/** Requests by the kinds that have a price or a limit. */
export interface RequestCounts {
  readonly writeUnits: number
  /** Write units of the decision log alone, which has one partition per deployment. */
  readonly logWriteUnits: number
  readonly readUnits: number
  readonly messages: number
  readonly puts: number
  readonly gets: number
}

/** The commands that a plan can have. */
export type PlannedCommand = 'create' | 'delete'

/**
 * The sizes of the two runs from which the parts follow. A plan of deletes has one page in S3 for
 * each 500 operations, so the sizes are multiples of that.
 */
const sizes = [limits.planPageOperationsMax, 2 * limits.planPageOperationsMax] as const

/**
 * Runs a create and a destroy of a shape with the real handlers, on models of DynamoDB and S3, in
 * two sizes. Returns the requests of each command as a fixed part and a part for each step.
 */
export async function measureCoefficients(
  shape: ShapeName,
): Promise<Readonly<Record<PlannedCommand, Coefficients>>> {
  const [small, large] = sizes
  const runs: (readonly CommandRequests[])[] = []
  for (const size of sizes)
    runs.push(await measureRequests(size, undefined, dependencyOf(shape, size)))
  const coefficientsOf = (command: PlannedCommand): Coefficients => {
    const [smallRun, largeRun] = runs.map(run => countsOf(findCommand(run, command)))
    if (smallRun === undefined || largeRun === undefined) throw new Error(`no run of ${command}`)
    const perStep = combineCounts(largeRun, smallRun, (largeCount, smallCount) =>
      Math.max(0, (largeCount - smallCount) / (large - small)),
    )
    return {
      perStep,
      fixed: combineCounts(smallRun, perStep, (smallCount, stepCount) =>
        Math.max(0, smallCount - stepCount * small),
      ),
    }
  }
  return { create: coefficientsOf('create'), delete: coefficientsOf('delete') }
}

function findCommand(run: readonly CommandRequests[], command: string): CommandRequests {
  const found = run.find(({ command: name }) => name === command)
  if (found === undefined) throw new Error(`the run has no ${command}`)
  return found
}

function countsOf({ sumsByPurpose }: CommandRequests): RequestCounts {
  const sumOf = (
    field: 'writeUnits' | 'readUnits' | 'requests' | 'items',
    isIncluded: (purpose: string) => boolean,
  ): number =>
    [...sumsByPurpose]
      .filter(([purpose]) => isIncluded(purpose))
      .reduce((total, [, sum]) => total + sum[field], 0)
  const isTable = (purpose: string): boolean => !purpose.startsWith('S3 ')
  return {
    writeUnits: sumOf('writeUnits', isTable),
    logWriteUnits: sumOf('writeUnits', purpose => purpose === 'PutItem log'),
    readUnits: sumOf('readUnits', isTable),
    messages: sumOf('items', purpose => purpose === 'messages'),
    puts: sumOf('requests', purpose => /^S3 (?:Put|List)/.test(purpose)),
    gets: sumOf('requests', purpose => /^S3 (?:Get|Head)/.test(purpose)),
  }
}

/** Combines the fields of two counts. */
export function combineCounts(
  a: RequestCounts,
  b: RequestCounts,
  combineField: (a: number, b: number) => number,
): RequestCounts {
  return {
    writeUnits: combineField(a.writeUnits, b.writeUnits),
    logWriteUnits: combineField(a.logWriteUnits, b.logWriteUnits),
    readUnits: combineField(a.readUnits, b.readUnits),
    messages: combineField(a.messages, b.messages),
    puts: combineField(a.puts, b.puts),
    gets: combineField(a.gets, b.gets),
  }
}

import type { WorkloadName } from '../workload.ts'

/** The commands of the table, in their order. */
export const phases = ['create', 'no-op', 'preview', 'refresh', 'stack ls', 'destroy'] as const

/** A measured command. */
export type BenchPhase = (typeof phases)[number]

/** The arguments of each phase. */
export const phaseArgs: Readonly<Record<BenchPhase, readonly string[]>> = {
  create: ['up', '--yes', '--skip-preview'],
  'no-op': ['up', '--yes', '--skip-preview'],
  preview: ['preview'],
  refresh: ['refresh', '--yes', '--skip-preview'],
  'stack ls': ['stack', 'ls'],
  destroy: ['destroy', '--yes', '--skip-preview'],
}

/** One workload of the table. */
export interface BenchLine {
  readonly name: string
  readonly workload: WorkloadName
  readonly resources: number
  /** The measured commands. Create is the first, and destroy is the last. */
  readonly phases: readonly BenchPhase[]
  /** Further variables of the program and its provider. */
  readonly variables?: Readonly<Record<string, string>>
  /** The value of `--parallel`, or the default of the engine. */
  readonly parallel?: number
  /** Minimum ratio of Pulumi's time to Antichain's, by command. */
  readonly ratioGoals?: Readonly<Partial<Record<BenchPhase, number>>>
  /** The longest time of a command, in s. */
  readonly secondsGoals?: Readonly<Partial<Record<BenchPhase, number>>>
  /**
   * The time of the provider's delays in a destroy, which no number of cores shortens. The goal is
   * 1.5 times the longer of two times: this one, and the processor time divided by the number of
   * cores.
   */
  readonly destroyFloorSeconds?: number
  /** The highest peak of the engine's memory. */
  readonly memoryGoalMib?: number
  /**
   * Whether peers run the line too. Pulumi would take too long for large lines, because its time
   * grows with the square of the number of resources.
   */
  readonly hasPeer: boolean
  /** The highest number of repetitions of a long line. */
  readonly repetitionsMax?: number
}

const programPhases = ['create', 'no-op', 'preview', 'destroy'] as const
const goPhases = ['create', 'no-op', 'refresh', 'destroy'] as const
const programGoals = { create: 7, 'no-op': 1.7, preview: 1.7, destroy: 30 } as const

/** Returns lines of the Go program without a peer. DELETE_MS is the wait of each delete, in ms. */
function createGoLines(): readonly BenchLine[] {
  const base = { workload: 'go', hasPeer: false } as const
  const slowDestroy = { phases: ['create', 'destroy'], parallel: 1_000, ...base } as const
  const variables = { DELETE_MS: '100' }
  return [
    {
      name: '2,000 resources, Go',
      resources: 2_000,
      phases: goPhases,
      ...base,
      secondsGoals: { create: 3, 'no-op': 2, refresh: 2, destroy: 2 },
    },
    {
      name: '10,000 resources, Go',
      resources: 10_000,
      phases: goPhases,
      ...base,
      secondsGoals: { create: 10, 'no-op': 6.7 },
      memoryGoalMib: 400,
    },
    {
      name: '10,000 deletes of 100 ms, 1,000 at once',
      resources: 10_000,
      ...slowDestroy,
      variables,
      destroyFloorSeconds: 1,
    },
    {
      name: '10,000 dependents of one, the same',
      resources: 10_000,
      ...slowDestroy,
      variables: { ...variables, SHAPE: 'hub' },
      destroyFloorSeconds: 1.1,
    },
    {
      name: '100 layers of 100, the same',
      resources: 10_000,
      ...slowDestroy,
      variables: { ...variables, SHAPE: 'layers' },
      destroyFloorSeconds: 10,
    },
    {
      name: '10,000 in a random graph, the same',
      resources: 10_000,
      ...slowDestroy,
      variables: { ...variables, SHAPE: 'random' },
    },
    {
      name: '100,000 resources, Go',
      resources: 100_000,
      phases: goPhases,
      ...base,
      memoryGoalMib: 1_024,
      repetitionsMax: 1,
    },
  ]
}

/** The workloads of the table. */
export const benchLines: readonly BenchLine[] = [
  {
    name: '500 resources, Go',
    workload: 'go',
    resources: 500,
    hasPeer: true,
    phases,
    ratioGoals: { ...programGoals, refresh: 1, 'stack ls': 0.9 },
  },
  {
    name: '1,000 dynamic resources',
    workload: 'w1',
    resources: 1_000,
    hasPeer: true,
    phases: programPhases,
    ratioGoals: programGoals,
  },
  {
    name: 'chain of 1,000',
    workload: 'chain',
    resources: 1_000,
    hasPeer: true,
    phases: programPhases,
  },
  {
    name: '2,000 plain resources',
    workload: 'flat',
    resources: 2_000,
    hasPeer: true,
    phases: programPhases,
    ratioGoals: programGoals,
  },
  {
    name: '600 resources with 16 KB each',
    workload: 'flat',
    resources: 600,
    hasPeer: false,
    phases: ['create', 'destroy'],
    variables: { BYTES: '16384' },
    secondsGoals: { create: 8.3, destroy: 7.2 },
  },
  {
    name: '10,000 plain resources',
    workload: 'flat',
    resources: 10_000,
    hasPeer: false,
    phases: programPhases,
    secondsGoals: { destroy: 8 },
    memoryGoalMib: 400,
  },
  ...createGoLines(),
]

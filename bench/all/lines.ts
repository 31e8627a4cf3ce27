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

/** The engines that Antichain is compared with. */
export const peerNames = ['pulumi', 'tofu', 'terraform'] as const
export type PeerName = (typeof peerNames)[number]

/** One workload of the table. */
export interface BenchLine {
  readonly name: string
  /** `terraform`: resources of the test provider, as in `npm run bench -- terraform`. */
  readonly workload: WorkloadName | 'terraform'
  readonly resources: number
  /** The measured commands. Create is the first, and destroy is the last. */
  readonly phases: readonly BenchPhase[]
  /** Further variables of the program and its provider. */
  readonly variables?: Readonly<Record<string, string>>
  /** The value of `--parallel`, or the default of the engine. */
  readonly parallel?: number
  /** Minimum ratio of the peer's time to Antichain's, by command. */
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
  /** The processor time of the engine's own process for each resource, in ms, by command. */
  readonly engineCpuGoalsMs?: Readonly<Partial<Record<BenchPhase, number>>>
  /**
   * The largest ratio of Antichain's time to that of the null engine, in create and no-op. The null
   * engine shows the time of program and provider alone.
   */
  readonly floorRatioGoal?: number
  /** The 99th percentile of the delays of other work in the engine, in ms. */
  readonly delayGoalMs?: number
  /**
   * The peers that run the line too. Absent: none. Pulumi would take too long for large lines,
   * because its time grows with the square of the number of resources.
   */
  readonly peers?: readonly PeerName[]
}

const programPhases = ['create', 'no-op', 'preview', 'destroy'] as const
const goPhases = ['create', 'no-op', 'refresh', 'destroy'] as const
const programGoals = { create: 7, 'no-op': 1.7, preview: 1.7, destroy: 30 } as const

const goBase = { workload: 'go' } as const
/** DELETE_MS is the wait of each delete, in ms. */
const delayVariables = { DELETE_MS: '100' } as const
const slowDestroy = { phases: ['create', 'destroy'], parallel: 1_000, ...goBase } as const

/** Lines of the Go program whose provider waits in each delete. */
const slowDestroyLines: readonly BenchLine[] = [
  {
    name: '10,000 deletes of 100 ms, 1,000 at once',
    resources: 10_000,
    ...slowDestroy,
    variables: delayVariables,
    destroyFloorSeconds: 1,
  },
  {
    name: '10,000 dependents of one, the same',
    resources: 10_000,
    ...slowDestroy,
    variables: { ...delayVariables, SHAPE: 'hub' },
    // The dependents take 1 s, and then the resource that they need takes 0.1 s.
    destroyFloorSeconds: 1.1,
  },
  {
    name: '100 layers of 100, the same',
    resources: 10_000,
    ...slowDestroy,
    variables: { ...delayVariables, SHAPE: 'layers' },
    destroyFloorSeconds: 10,
  },
  {
    name: '10,000 in a random graph, the same',
    resources: 10_000,
    ...slowDestroy,
    variables: { ...delayVariables, SHAPE: 'random' },
    // The longest path of this graph has 33 resources.
    destroyFloorSeconds: 3.3,
  },
  {
    name: 'chain of 1,000, the same',
    resources: 1_000,
    ...slowDestroy,
    variables: { ...delayVariables, SHAPE: 'chain' },
    destroyFloorSeconds: 100,
  },
]

/** Lines of the Go program whose provider does nothing. */
const goLines: readonly BenchLine[] = [
  {
    name: '2,000 resources, Go',
    resources: 2_000,
    phases: goPhases,
    ...goBase,
    secondsGoals: { create: 3, 'no-op': 2, refresh: 2, destroy: 2 },
  },
  {
    name: '10,000 resources, Go',
    resources: 10_000,
    phases: goPhases,
    ...goBase,
    secondsGoals: { create: 10, 'no-op': 6.7 },
    memoryGoalMib: 400,
  },
]

const hugeGoals = { memoryGoalMib: 1_024, delayGoalMs: 100 } as const

/** Lines of 100,000 resources of the Go program. */
const hugeLines: readonly BenchLine[] = [
  {
    name: '100,000 resources, Go',
    resources: 100_000,
    phases: goPhases,
    ...goBase,
    ...hugeGoals,
  },
  {
    name: '100,000 in 1,000 layers, Go',
    resources: 100_000,
    phases: goPhases,
    ...goBase,
    ...hugeGoals,
    variables: { SHAPE: 'layers' },
  },
]

/** The workloads of the table. */
export const benchLines: readonly BenchLine[] = [
  {
    name: '500 resources, Go',
    workload: 'go',
    resources: 500,
    peers: ['pulumi'],
    phases,
    ratioGoals: { refresh: 1, 'stack ls': 0.9 },
  },
  {
    name: '1,000 dynamic resources',
    workload: 'w1',
    resources: 1_000,
    peers: ['pulumi'],
    phases: programPhases,
    ratioGoals: programGoals,
  },
  {
    name: 'chain of 1,000',
    workload: 'chain',
    resources: 1_000,
    peers: ['pulumi'],
    phases: programPhases,
  },
  {
    name: '2,000 plain resources',
    workload: 'flat',
    resources: 2_000,
    peers: ['pulumi'],
    phases: programPhases,
    ratioGoals: programGoals,
  },
  {
    name: '600 resources with 16 KB each',
    workload: 'flat',
    resources: 600,
    phases: ['create', 'destroy'],
    variables: { BYTES: '16384' },
    secondsGoals: { create: 8.3, destroy: 7.2 },
  },
  {
    name: '10,000 plain resources',
    workload: 'flat',
    resources: 10_000,
    phases: programPhases,
    secondsGoals: { destroy: 8 },
    memoryGoalMib: 400,
    engineCpuGoalsMs: { create: 1.5, 'no-op': 1, destroy: 0.5 },
    floorRatioGoal: 1.2,
  },
  {
    name: '1,000 resources of a Terraform provider',
    workload: 'terraform',
    resources: 1_000,
    peers: ['tofu', 'terraform'],
    phases: ['create', 'no-op', 'destroy'],
  },
  ...goLines,
  ...slowDestroyLines,
  ...hugeLines,
]

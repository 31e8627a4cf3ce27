import type { WorkloadName } from '../workload.ts'

/** The commands that a line measures, in their order. */
export const phases = ['create', 'no-op', 'preview', 'destroy'] as const

/** A measured command. */
export type BenchPhase = (typeof phases)[number]

/** One workload of the table. */
export interface BenchLine {
  readonly name: string
  readonly workload: WorkloadName
  readonly resources: number
  /** Further variables of the program. */
  readonly variables?: Readonly<Record<string, string>>
  /** How many times as fast as the peer a command should be. */
  readonly ratioGoals?: Readonly<Partial<Record<BenchPhase, number>>>
  /** The longest time of a command, in s. */
  readonly secondsGoals?: Readonly<Partial<Record<BenchPhase, number>>>
  /** The highest peak of the engine's memory, in MiB. */
  readonly memoryGoal?: number
  /** Whether the peer runs the line too. Its creates grow with the square of the resources. */
  readonly hasPeer: boolean
}

const programGoals = { create: 7, 'no-op': 1.7, preview: 1.7, destroy: 30 } as const

/** The workloads of the table. */
export const benchLines: readonly BenchLine[] = [
  {
    name: '1,000 dynamic resources',
    workload: 'w1',
    resources: 1_000,
    ratioGoals: programGoals,
    hasPeer: true,
  },
  {
    name: '2,000 plain resources',
    workload: 'flat',
    resources: 2_000,
    ratioGoals: programGoals,
    hasPeer: true,
  },
  {
    name: 'chain of 1,000',
    workload: 'chain',
    resources: 1_000,
    hasPeer: true,
  },
  {
    name: '600 resources with 16 KB each',
    workload: 'flat',
    resources: 600,
    variables: { BYTES: '16384' },
    secondsGoals: { create: 8.3, destroy: 7.2 },
    hasPeer: false,
  },
  {
    name: '10,000 plain resources',
    workload: 'flat',
    resources: 10_000,
    secondsGoals: { destroy: 8 },
    memoryGoal: 400,
    hasPeer: false,
  },
]

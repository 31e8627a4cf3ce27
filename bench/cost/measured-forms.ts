import { z } from 'zod'

const counts = z.object({
  writeUnits: z.number(),
  readUnits: z.number(),
  writes: z.number(),
  reads: z.number(),
  puts: z.number(),
  gets: z.number(),
  messages: z.number(),
  emptyReceives: z.number(),
  keyRequests: z.number(),
  calls: z.number(),
  coldStarts: z.number(),
  gbSeconds: z.number(),
  logBytes: z.number(),
})

/** One command of a measured run. */
const phase = z.object({
  name: z.enum(['create', 'no-op', 'update', 'refresh', 'destroy']),
  resources: z.int(),
  seconds: z.number(),
  /** How often it was tried until it succeeded; only the last time is counted. */
  tries: z.int().default(1),
  counts,
  /** Seconds times memory, by function. */
  gbSecondsBy: z.record(z.string(), z.number()),
  /** Requests by what they are for, with the units of DynamoDB that they took. */
  requests: z.record(z.string(), z.object({ requests: z.int(), units: z.number() })).optional(),
})

/** docs/measured/cost.json */
export const measuredRun = z.object({
  date: z.string(),
  command: z.string(),
  repetitions: z.int(),
  machine: z.string(),
  /** Processes that wanted to run, over the last quarter of an hour, as the run ended. */
  load: z.number(),
  versions: z.record(z.string(), z.string()),
  commit: z.string(),
  parallel: z.int(),
  executorsMax: z.int(),
  /** How long the provider takes for each change. */
  delayMs: z.number(),
  /** Without a call of a function, before a command counts as over with all that it left behind. */
  quietSeconds: z.number(),
  phases: z.array(phase),
})

export type MeasuredRun = z.infer<typeof measuredRun>
export type MeasuredPhase = z.infer<typeof phase>

/** docs/measured/budget.json */
export const measuredBudget = z.object({
  date: z.string(),
  command: z.string(),
  rows: z.array(
    z.object({
      command: z.enum(['create', 'same', 'update', 'refresh', 'delete']),
      resources: z.int(),
      writes: z.int(),
      writeUnits: z.number(),
      reads: z.int(),
      readUnits: z.number(),
      messages: z.int(),
      apartUnits: z.number(),
    }),
  ),
})

export type MeasuredBudget = z.infer<typeof measuredBudget>

import * as z from 'zod'

/** The counts of a command; `Counts` in test/aws/counts.ts explains the fields. */
const countsForm = z.object({
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
const phaseForm = z.object({
  name: z.enum(['create', 'no-op', 'update', 'refresh', 'destroy']),
  resources: z.int(),
  seconds: z.number(),
  /** Number of attempts until the command succeeded. All other fields are of the last attempt. */
  tries: z.int().default(1),
  counts: countsForm,
  /** GB-seconds by function. */
  gbSecondsBy: z.record(z.string(), z.number()),
  /** Requests by purpose, with their units of DynamoDB. */
  requests: z.record(z.string(), z.object({ requests: z.int(), units: z.number() })).optional(),
})

/** The contents of docs/measured/cost.json and docs/measured/plugin-cost.json. */
export const measuredRunForm = z.object({
  date: z.string(),
  command: z.string(),
  repetitions: z.int(),
  machine: z.string(),
  /** Load average of the last 15 minutes at the end of the run. */
  load: z.number(),
  versions: z.record(z.string(), z.string()),
  commit: z.string(),
  /** Maximum number of concurrent operations of each command. */
  parallel: z.int(),
  /** Maximum number of concurrent executor functions. */
  executorsMax: z.int(),
  /** Duration of each create, update or delete at the provider. */
  delayMs: z.number(),
  /** Time without function calls after which a command and its later effects count as complete. */
  quietSeconds: z.number(),
  /** Size of the provider, which new environments fetch. Absent: all functions have it. */
  pluginMb: z.number().optional(),
  phases: z.array(phaseForm),
})

export type MeasuredRun = z.infer<typeof measuredRunForm>
export type MeasuredPhase = z.infer<typeof phaseForm>

/**
 * The contents of docs/measured/budget.json. The budget is the requests that tests allow for a
 * command. `excludedUnits`: the write units of events, of the records of their writers, and of
 * arrivals, which the budget excludes.
 */
export const measuredBudgetForm = z.object({
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
      excludedUnits: z.number(),
    }),
  ),
})

export type MeasuredBudget = z.infer<typeof measuredBudgetForm>

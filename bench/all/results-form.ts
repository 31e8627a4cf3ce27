import * as z from 'zod'

/** The measurement of one command of one engine, over all repetitions. */
const measurementForm = z.object({
  /** Seconds, lowest first. */
  seconds: z.array(z.number()).min(1),
  /** Processor time of all processes in seconds, lowest first. */
  cpuSeconds: z.array(z.number()).min(1),
  /** Processor time of the engine's own processes in seconds, lowest first. */
  engineCpuSeconds: z.array(z.number()).optional(),
  /** Highest memory of the engine's own processes, in MiB. */
  peakMib: z.number(),
  /** Highest 99th percentile of the delays of the engine's main thread, in ms. */
  delayP99Ms: z.number().optional(),
})

/** The contents of docs/measured/all.json. */
export const benchResultsForm = z.object({
  node: z.string(),
  /** Versions by engine. */
  versions: z.record(z.string(), z.string()),
  lines: z.array(
    z.object({
      name: z.string(),
      machine: z.string(),
      /** Processors that the measured processes may use. */
      cores: z.int().min(1),
      date: z.string(),
      /** Load average of the last minute before the first repetition. */
      load: z.number(),
      repetitions: z.int().min(1),
      /** Measurements by phase, and then by engine. */
      phases: z.record(z.string(), z.record(z.string(), measurementForm)),
    }),
  ),
})

export type BenchResults = z.infer<typeof benchResultsForm>

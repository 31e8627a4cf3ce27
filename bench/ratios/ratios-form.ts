import * as z from 'zod'
import { ratioPhases } from './measure-ratios.ts'

/** The contents of docs/measured/ratios.json. */
export const recordedRatiosForm = z.object({
  date: z.string(),
  machine: z.string(),
  node: z.string(),
  pulumi: z.string(),
  repetitions: z.int().min(1),
  /** Load average of the last minute at the end. */
  load: z.number(),
  /** By command: the processor time of Pulumi, divided by that of Antichain. Medians. */
  ratios: z.record(z.enum(ratioPhases), z.number().positive()),
})

export type RecordedRatios = z.infer<typeof recordedRatiosForm>

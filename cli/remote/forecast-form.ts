import * as z from 'zod'
import type { Urn } from '../../shared/names/urn.ts'
import type { EstimateSource, Forecast } from '../../shared/records/forecast.ts'
import type { StepOp } from '../../shared/records/operation.ts'

const urnForm = z.string().transform(text => text as Urn)

/**
 * The form of the forecast that the API sends when a preview has ended. `estimates`: the number of
 * provider calls by the source of their expected duration. `Forecast` describes the other fields.
 */
export const forecastForm = z.object({
  parallel: z.number(),
  steps: z.number(),
  waves: z.array(z.number()),
  waveCount: z.number(),
  width: z.number(),
  criticalPath: z.object({
    ms: z.number(),
    stepCount: z.number(),
    steps: z.array(
      z.object({
        // `op` and `source` of a newer server may have values that this version does not know.
        op: z.string().transform(text => text as StepOp),
        urn: urnForm,
        ms: z.number(),
        source: z.string().transform(text => text as EstimateSource),
      }),
    ),
  }),
  workMs: z.number(),
  wallMs: z.number(),
  overheadMs: z.number().optional(),
  estimates: z.record(z.string(), z.number()),
  kept: z.array(
    z.object({
      urn: urnForm,
      reason: z.enum(['protected', 'retained']),
      keepsCount: z.number(),
      keeps: z.array(urnForm),
    }),
  ),
  keptCount: z.number(),
}) satisfies z.ZodType<Forecast>

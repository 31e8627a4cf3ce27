import * as z from 'zod'
import { usageFields, usageParts } from '../../shared/records/usage.ts'

const countsForm = z.object(Object.fromEntries(usageFields.map(field => [field, z.number()])))
const costForm = z.object({ requests: z.number(), functions: z.number(), total: z.number() })
const countedCost = { counts: countsForm, cost: costForm }

/** The cost of a deployment in the API, in US dollars; see `DeploymentCost`. */
export const costView = z.object({
  isBilled: z.boolean(),
  prices: z.object({ asOf: z.string(), region: z.string() }),
  parts: z.array(z.object({ part: z.enum(usageParts), ...countedCost })),
  total: z.object(countedCost).optional(),
})

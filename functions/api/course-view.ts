import * as z from 'zod'

/** The parts of a period; see `CourseTimes`. */
const times = {
  callMs: z.number(),
  slotMs: z.number(),
  limitMs: z.number(),
  retryMs: z.number(),
  engineMs: z.number(),
}

/** The course of a deployment in the API; see `DeploymentCourse`. */
export const courseView = z.object({
  wallMs: z.number(),
  parallel: z.number(),
  time: z.object(times),
  criticalPath: z.object({
    ms: z.number(),
    stepCount: z.number(),
    steps: z.array(z.object({ op: z.string(), urn: z.string(), verdict: z.string(), ...times })),
  }),
  total: z.object({
    steps: z.number(),
    callMs: z.number(),
    slotMs: z.number(),
    limitMs: z.number(),
    dependencyMs: z.number(),
    retryMs: z.number(),
    retriedSteps: z.number(),
  }),
})

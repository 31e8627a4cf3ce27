import { expect, test } from 'vitest'
import type { QueueName } from '../../shared/config/aws-resource-names.ts'
import type { Control } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { type ProblemDeps, reportProblems } from './report-problems.ts'

const id = 'organization/p/s/1' as DeploymentId

/** Reports with some dead letters. The deployment is stuck if its mark of an earlier call exists. */
async function report(
  deadLetters: Partial<Record<QueueName, number>>,
  isStuck: boolean,
): Promise<{ readonly metrics: readonly unknown[]; readonly events: readonly unknown[] }> {
  const metrics: unknown[] = []
  const events: unknown[] = []
  const deps: ProblemDeps = {
    platform: {
      control: { read: async () => ({ holder: { started: 'a' } }) as Control },
      leases: { list: async () => [] },
      marks: { mark: async () => true, isMarked: async () => isStuck },
      clock: { now: () => 1 as never },
      logger: { write: (...event) => void events.push(event) },
    },
    putMetric: (...metric) => void metrics.push(metric),
    countDeadLetters: async () => deadLetters,
  }
  await reportProblems(deps, [id])
  return { metrics, events }
}

test('dead letters and stuck deployments are counted in the metric of problems, and logged', async () => {
  expect(await report({ chains: 2, notifications: 3 }, true)).toEqual({
    metrics: [
      ['stuckDeployments', 1],
      ['problems', 6],
    ],
    events: [
      ['error', 'deployments.stuck', { stuck: [id] }],
      ['error', 'queues.deadLetters', { chains: 2, notifications: 3 }],
    ],
  })
  expect((await report({ nudges: 1 }, false)).metrics).toEqual([['problems', 1]])
})

test('without problems no metric is written, because each metric costs money', async () => {
  expect(await report({}, false)).toEqual({ metrics: [], events: [] })
})

import { expect, test } from 'vitest'
import type { Urn } from '../../shared/names/urn.ts'
import type { CourseStep, DeploymentCourse } from '../../shared/records/deployment-course.ts'
import { formatCourse } from './course-lines.ts'
import { thingUrnOf } from './display.fixture.ts'
import { createPaint } from './paint.ts'

const stepOf = (name: string, fields: Partial<CourseStep> = {}): CourseStep => ({
  op: 'create',
  urn: thingUrnOf(name) as Urn,
  verdict: 'succeeded',
  callMs: 1_000,
  slotMs: 0,
  limitMs: 0,
  retryMs: 0,
  engineMs: 10,
  ...fields,
})

const course: DeploymentCourse = {
  wallMs: 4_000,
  parallel: 2,
  time: { callMs: 2_000, slotMs: 500, limitMs: 100, retryMs: 500, engineMs: 900 },
  criticalPath: {
    ms: 3_000,
    stepCount: 2,
    steps: [
      stepOf('a'),
      stepOf('b', { slotMs: 500, limitMs: 100, retryMs: 500, verdict: 'failed' }),
    ],
  },
  total: {
    steps: 3,
    callMs: 2_500,
    slotMs: 500,
    limitMs: 100,
    dependencyMs: 0,
    retryMs: 500,
    retriedSteps: 1,
  },
}

const format = (fields: Partial<DeploymentCourse>): readonly string[] =>
  formatCourse({ ...course, ...fields }, createPaint(false))

test('a course has the parts of its duration, the critical path and the sums', () => {
  expect(format({})).toEqual([
    'Time: 4.0s',
    '    provider calls                       2.0s  50%',
    '    waiting for a slot of --parallel 2   0.5s  13%',
    '    waiting for limits of calls          0.1s   3%',
    '    retries                              0.5s  13%',
    '    program, checks and records          0.9s  23%',
    '',
    'Critical path: 2 steps, 3.0s',
    '    pkg:index:Thing a created in 1.0s',
    '    pkg:index:Thing b created in 1.0s (failed) after 0.5s waiting for a slot, 0.1s waiting for a limit, 0.5s retries',
    '',
    '3 steps in total: 2.5s of provider calls, 0.5s waiting for a slot, 0.0s waiting for other steps, 0.1s waiting for limits, 0.5s of retries of 1 step',
  ])
})

test('only the last ten steps of a critical path are shown', () => {
  const steps = Array.from({ length: 12 }, (_, index) => stepOf(`n${index}`))
  const lines = format({ criticalPath: { ms: 1, stepCount: 30, steps } })
  expect(lines.slice(8, 10)).toEqual([
    '    … 20 earlier steps',
    '    pkg:index:Thing n2 created in 1.0s',
  ])
  expect(lines).toHaveLength(21)
})

test('a course without steps has only the parts of its duration', () => {
  const criticalPath = { ms: 0, stepCount: 0, steps: [] }
  expect(format({ criticalPath, wallMs: 0 })).toHaveLength(6)
})

import { type Mutation, selectFirstSeeds, testsOf } from './mutation.ts'

const order = 'test/lifecycle/order-of-effects'

/** Mutations of sweep, recovery, take-over, close, and the removal of old records. */
export const recoveringMutations: readonly Mutation[] = [
  {
    name: 'the sweep does not repeat arrivals',
    breaks: 'sweep: no message, hint or redelivery is needed for progress',
    file: 'shared/engine/deployment/recovery/sweep.ts',
    edits: [
      [
        "if (end?.verdict === 'succeeded') pendingArrivals.push",
        "if (end?.verdict === 'partial') pendingArrivals.push",
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'the sweep ends a join that still waits',
    breaks: 'I3: a join ends when all of its needs have arrived',
    file: 'shared/engine/deployment/recovery/sweep.ts',
    edits: [
      ["waiter.op !== 'join' || updatedHead.arrived.length < waiter.needs", "waiter.op !== 'join'"],
    ],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'the sweep recovers operations of living executors',
    breaks: 'recovery acts only when the owner is gone',
    file: 'shared/engine/deployment/recovery/sweep.ts',
    edits: [
      [
        "if (head.executor === '' || !deps.isGone(head.executor)) continue",
        "if (head.executor === '') continue",
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/recovery'), selectFirstSeeds(150)],
  },
  {
    name: 'the sweep does not send ready operations',
    breaks: 'sweep: ready operations are sent',
    file: 'shared/engine/deployment/recovery/sweep.ts',
    edits: [['if (readyOperations.length > 0)', 'if (readyOperations.length > 9_999)']],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'a sweep continues after a stop',
    breaks: 'recovery: only while the deployment is not stopped',
    file: 'shared/engine/deployment/recovery/sweeper.ts',
    edits: [
      [
        "control === undefined || control.closed || control.stop !== 'none'",
        'control === undefined',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'recovery ignores the stored outcome',
    breaks: 'recovery reads the outcome of the attempt first',
    file: 'shared/engine/deployment/recovery/recover.ts',
    edits: [['if (outcome !== undefined)', 'if (outcome !== undefined && attempt < 0)']],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'a create with an unknown end counts as done',
    breaks: 'recovery: a create without an outcome is ended as interrupted',
    file: 'shared/engine/deployment/recovery/recover.ts',
    edits: [["{ ...selection, verdict: 'interrupted' }", "{ ...selection, verdict: 'succeeded' }"]],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'records after a gap in a log are read as if none were missing',
    breaks: 'damaged records are reported with their keys',
    file: 'shared/platform/records/gap-check.ts',
    edits: [['if (gapIndex < 0) return', 'if (gapIndex < 9_999) return']],
    caughtBy: [testsOf('shared/platform/records/gap-check')],
  },
  {
    name: 'an executor is considered dead at its first missed renewal',
    breaks: 'leases: an executor is dead only after a full lease and a margin without a renewal',
    file: 'shared/engine/deployment/ownership/liveness.ts',
    edits: [
      [
        'nowMs - lastReading.readAtMs > limits.leaseMs + limits.leaseMarginMs',
        'nowMs - lastReading.readAtMs > limits.leaseRenewMs',
      ],
    ],
    caughtBy: [testsOf('shared/engine/deployment/ownership/liveness')],
  },
  {
    name: 'a dead executor is not retired',
    breaks: 'leases: a retired executor never returns',
    file: 'shared/engine/deployment/ownership/liveness.ts',
    edits: [['if (!lease.retired) await', 'if (lease.retired) await']],
    caughtBy: [testsOf('shared/engine/deployment/ownership/liveness')],
  },
  {
    name: 'plugins of a dead executor keep running',
    breaks:
      'processes: plugins of a dead executor on the same host are ended before it counts as gone',
    file: 'shared/engine/deployment/ownership/liveness.ts',
    edits: [['if (isDead) for', 'if (isDead && lease.retired) for']],
    caughtBy: [testsOf('shared/engine/deployment/ownership/liveness')],
  },
  {
    name: 'a log is taken over without a record',
    breaks: 'I5: a takeover is itself a record',
    file: 'shared/engine/deployment/ownership/take-over.ts',
    edits: [["await writer.append({ kind: 'takeover', holder: deps.holder })", '']],
    caughtBy: [testsOf('test/lifecycle/deposed')],
  },
  {
    name: 'the closing record is missing when a dead deployment is closed',
    breaks: 'close: the closing record is appended to the log before anything else',
    file: 'shared/engine/deployment/ownership/take-over.ts',
    edits: [
      [
        'if (view.closing === undefined) await writer.append',
        'if (view.closing !== undefined) await writer.append',
      ],
    ],
    caughtBy: [selectFirstSeeds(150)],
  },
  {
    name: 'the inbox keeps the items that a dead deployment took',
    breaks:
      'start: the late outcomes that the pin names are removed from the inbox after the pin is recorded',
    file: 'shared/engine/deployment/ownership/take-over.ts',
    edits: [['if (takenOutcomeKeys.length > 0) await', 'if (takenOutcomeKeys.length < 0) await']],
    caughtBy: [testsOf('test/lifecycle/late', 'resumed')],
  },
  {
    name: 'a deployment closes before its stop flag is set',
    breaks: 'close: the stop flag is raised before the heads are read',
    file: 'shared/engine/deployment/ownership/finish-close.ts',
    edits: [
      ["  await deps.control.stop(deployment, 'graceful')\n", ''],
      [
        '  await deps.control.close(deployment)\n',
        "  await deps.control.stop(deployment, 'graceful')\n  await deps.control.close(deployment)\n",
      ],
    ],
    caughtBy: [testsOf(order)],
  },
  {
    name: 'a close does not wait for living owners',
    breaks: 'close: living owners are waited for',
    file: 'shared/engine/deployment/ownership/finish-close.ts',
    edits: [
      [
        'await awaitRunningOperations(\n    { ...deps, deployment, liveness: options.liveness },\n    operationIds,\n  )',
        'await options.liveness.observe()',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'a close does not end operations without an outcome',
    breaks:
      'close: a begun operation without a living owner and without an outcome ends as interrupted',
    file: 'shared/engine/deployment/recovery/end-abandoned-operations.ts',
    edits: [
      [
        "outcome?.verdict ?? 'interrupted'\n",
        'outcome?.verdict\n      if (verdict === undefined) continue\n',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'an interrupted operation is written as succeeded',
    breaks: 'recovery: the result of a begun create whose owner is gone is unknown',
    file: 'shared/engine/deployment/recovery/end-abandoned-operations.ts',
    edits: [["?? 'interrupted'", "?? 'succeeded'"]],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'a close ignores the stored outcome',
    breaks: 'close: a begun operation without a living owner ends with its stored outcome',
    file: 'shared/engine/deployment/recovery/end-abandoned-operations.ts',
    edits: [["outcome?.verdict ?? 'interrupted'", "'interrupted'"]],
    caughtBy: [testsOf('test/lifecycle/recovery')],
  },
  {
    name: 'a stack is released before its deployment is closed',
    breaks: 'close: the deployment is closed before the stack is released',
    file: 'shared/engine/deployment/ownership/finish-close.ts',
    edits: [
      ['  await deps.control.close(deployment)\n', ''],
      [
        '  await deps.nudges.nudge(stack, 0)',
        '  await deps.control.close(deployment)\n  await deps.nudges.nudge(stack, 0)',
      ],
    ],
    caughtBy: [testsOf(order)],
  },
  {
    name: 'a hint is treated as an end',
    breaks: 'I4: a hint only causes a read, and the head decides',
    file: 'shared/engine/deployment/ends/end-watcher.ts',
    edits: [['if (end.head.end !== undefined) waits.resolve(id, end)', 'waits.resolve(id, end)']],
    caughtBy: [selectFirstSeeds(150)],
  },
  {
    name: 'records are removed while a process that could write them lives',
    breaks:
      'late window: records are kept until all owners are dead and no request of theirs can take effect',
    file: 'shared/engine/deployment/retention/remove-old-records.ts',
    edits: [
      [
        'if (aliveResults.includes(true)) return false',
        'if (aliveResults.length < 0) return false',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/retention')],
  },
  {
    name: 'records are removed together with a late outcome that only they contain',
    breaks: 'late window: successful creates are copied to the inbox first',
    file: 'shared/engine/deployment/retention/remove-old-records.ts',
    edits: [['if (candidate.isInHistory) await', 'if (!candidate.isInHistory) await']],
    caughtBy: [testsOf('test/lifecycle/retention')],
  },
  {
    name: 'an outcome that was taken from the inbox can be put there again',
    breaks: 'I9: each late outcome is taken once',
    file: 'shared/platform/embedded/store/methods/inbox-methods.ts',
    edits: [
      [
        'ON CONFLICT DO NOTHING',
        'ON CONFLICT DO UPDATE SET item = excluded.item, taken = 0 WHERE taken = 1',
      ],
    ],
    caughtBy: [testsOf('test/contract/embedded'), testsOf('test/lifecycle/late')],
  },
  {
    name: 'a pending create is cleared while its plugin runs',
    breaks: 'late window: clearing pending creates is refused until the window is over',
    file: 'shared/engine/deployment/retention/late-window.ts',
    edits: [
      [
        'if (runningGroup === undefined) continue',
        'if (runningGroup !== undefined) continue\n      if (runningGroup === undefined) continue',
      ],
    ],
    caughtBy: [testsOf('shared/engine/deployment/retention/late-window')],
  },
]

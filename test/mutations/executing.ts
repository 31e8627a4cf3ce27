import { type Mutation, selectFirstSeeds, testsOf } from './mutation.ts'

const executor = 'shared/engine/executor'
const order = 'test/lifecycle/order-of-effects'

/** Mutations of the duties that an executor has around every call. */
export const executingMutations: readonly Mutation[] = [
  {
    name: 'a call is made without a check of the control record',
    breaks: 'I1: a read after the begin shows that the deployment was not stopped',
    file: `${executor}/begin.ts`,
    edits: [["control === undefined || control.closed || control.stop !== 'none'", 'false']],
    caughtBy: [testsOf('test/lifecycle/executor'), selectFirstSeeds(150)],
  },
  {
    name: 'the provider is called before the begin is durable',
    breaks: 'I1: write-ahead',
    file: `${executor}/executor.ts`,
    edits: [
      [
        '  const beginDecision = await beginUnlessStopped(ports, context, task)\n',
        "  const { performStep } = await import('./perform-step.ts')\n" +
          '  await performStep(await context.openStep(operation), { preview: false }, context.performDeps)\n' +
          '  const beginDecision = await beginUnlessStopped(ports, context, task)\n',
      ],
    ],
    caughtBy: [testsOf(order)],
  },
  {
    name: 'a begin after a stop is not given back',
    breaks: 'begin: give back after a stop or close',
    file: `${executor}/begin.ts`,
    edits: [
      [
        '!context.holdsLease()) {\n' + '    await giveBackAttempt(ports, context, uncalledAttempt)',
        '!context.holdsLease()) {',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/executor')],
  },
  {
    name: "a call is made without a check of the executor's lease",
    breaks: "begin: then check the executor's lease",
    file: `${executor}/begin.ts`,
    edits: [['if (isStopped || !context.holdsLease()) {', 'if (isStopped) {']],
    caughtBy: [testsOf('test/lifecycle/executor')],
  },
  {
    name: 'a message is removed before the outcome is written',
    breaks: 'end: then remove the message',
    file: `${executor}/executor.ts`,
    edits: [
      [
        '          const isLast =',
        '          await ports.chains.remove(delivery.receipt)\n          const isLast =',
      ],
      [
        '        }\n      }\n      await ports.chains.remove(delivery.receipt)',
        '        }\n      }',
      ],
    ],
    caughtBy: [testsOf(order)],
  },
  {
    name: 'an end is selected before its outcome is written',
    breaks: 'end: write the outcome, then select it',
    file: `${executor}/call-and-record.ts`,
    edits: [
      ['  await save(() => ports.operations.putOutcome(deployment, outcome))\n', ''],
      [
        'const isSelected = await select()\n',
        'const isSelected = await select()\n' +
          '  await save(() => ports.operations.putOutcome(deployment, outcome))\n',
      ],
    ],
    caughtBy: [testsOf(order)],
  },
  {
    name: 'an outcome is not stored',
    breaks: 'I2: the outcome of every attempt is stored',
    file: `${executor}/call-and-record.ts`,
    edits: [['  await save(() => ports.operations.putOutcome(deployment, outcome))\n', '']],
    caughtBy: [selectFirstSeeds(150)],
  },
  {
    name: 'operations begin while an outcome cannot be stored',
    breaks: 'a store that accepts no results stops further calls',
    file: `${executor}/call-and-record.ts`,
    edits: [['resumeSlots = context.slots.suspend()', 'resumeSlots = () => {}']],
    caughtBy: [testsOf(`${executor}/release-slot`)],
  },
  {
    name: 'a create whose select is refused is not put into the inbox',
    breaks: 'I9: end: a create whose select is refused goes to the inbox',
    file: `${executor}/call-and-record.ts`,
    edits: [['  if (!isSelected) await save(', '  if (!isSelected && attempt < 0) await save(']],
    caughtBy: [testsOf('test/lifecycle/late')],
  },
  {
    name: 'secrets are stored unsealed in an outcome',
    breaks: 'I8: no plaintext',
    file: `${executor}/call-and-record.ts`,
    edits: [
      [
        '{ state: context.sealing.seal(end.state, old) }',
        '{ state: { ...context.sealing.seal(end.state), outputs: { open: [...end.state.outputs.values()].map(one => JSON.stringify(one)).join() } } }',
      ],
    ],
    caughtBy: [selectFirstSeeds(150)],
  },
  {
    name: 'arrivals are not repeated when a message is delivered again',
    breaks: 'I4: every process that finds an ended operation repeats its arrivals',
    file: `${executor}/executor.ts`,
    edits: [
      ['if (head.end === undefined) return undefined', 'if (head.attempt >= 0) return undefined'],
    ],
    caughtBy: [testsOf('test/lifecycle/executor')],
  },
  {
    name: 'a join that became ready is not ended',
    breaks: 'joins are ended by the executor that completes them',
    file: 'shared/engine/executor/release-waiters.ts',
    edits: [
      [
        'for (const id of readyJoins.keys()) await',
        'for (const id of readyJoins.keys()) if (id < 0) await',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/executor')],
  },
  {
    name: 'a waiter is released by the first arrival',
    breaks: 'I3: a waiter is released when all of its needs have arrived',
    file: 'shared/engine/executor/release-waiters.ts',
    edits: [
      [
        "head.owner === '' && head.arrived.length >= waiter.needs",
        "head.owner === '' && head.arrived.length >= 1",
      ],
    ],
    caughtBy: [testsOf('test/property/deletes')],
  },
  {
    name: 'only the first arrivals are repeated when a message is delivered again',
    breaks: 'executors repeat arrivals along the chain at a redelivery',
    file: 'shared/engine/executor/release-waiters.ts',
    edits: [
      [
        'isRedelivered ? selectRepeatedWaiters(results) : []',
        'isRedelivered ? [] : selectRepeatedWaiters(results)',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/executor')],
  },
  {
    name: 'a redelivery sends ready operations again',
    breaks: 'I4: a repeated message causes no further messages',
    file: 'shared/engine/executor/release-waiters.ts',
    edits: [['(isNew ? readyOperations : earlierReadyOperations)', 'readyOperations']],
    caughtBy: [testsOf('test/lifecycle/executor')],
  },
  {
    name: 'a failed operation releases its dependents',
    breaks: 'partial and failed operations release no dependents',
    file: 'shared/engine/executor/release-waiters.ts',
    edits: [["if (verdict === 'succeeded') return", "if (verdict !== 'interrupted') return"]],
    caughtBy: [testsOf('test/property/deletes')],
  },
  {
    name: 'a create begins a second time when its owner is gone',
    breaks: 'I10: no create is ever sent twice',
    file: 'shared/engine/deployment/recovery/recover.ts',
    edits: [["new Set([\n  'update',", "new Set([\n  'create',\n  'update',"]],
    caughtBy: [selectFirstSeeds(150)],
  },
  {
    name: 'a delete that fails the second time counts as done without a read',
    breaks: 'recovery: a delete is repeated, and if that fails, the resource is read',
    file: `${executor}/perform-again.ts`,
    edits: [
      [
        'return (await isGone(step, deps)) ? successEndOf(undefined) : end',
        'return successEndOf(undefined)',
      ],
    ],
    caughtBy: [testsOf(`${executor}/perform-again`)],
  },
  {
    name: 'a connection that was lost during a create counts as a failure',
    breaks: 'retry policy: after a lost connection the effect in the cloud is unknown',
    file: 'shared/providers/retry-policy.ts',
    edits: [["verdict: 'interrupted'", "verdict: 'failed'"]],
    caughtBy: [testsOf('shared/providers/retry-policy'), selectFirstSeeds(150)],
  },
  {
    name: 'a call that may have arrived is retried as if it was never sent',
    breaks: 'retry policy: only unsent requests are retried',
    file: 'shared/providers/retry-policy.ts',
    edits: [['if (thrown.isRequestUnsent)', "if (thrown.status !== 'partial')"]],
    caughtBy: [testsOf('shared/providers/retry-unsent'), selectFirstSeeds(150)],
  },
  {
    name: 'a protected resource is deleted',
    breaks: 'protection applies in every wave',
    file: `${executor}/perform-step.ts`,
    edits: [
      [
        '  if (refusal !== undefined) return refusal\n',
        '  if (refusal !== undefined && mode.preview) return refusal\n',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/deployments', 'protected')],
  },
  {
    name: 'a lease is renewed after a missed renewal',
    breaks: 'leases: after a missed renewal an executor returns only with a new identity',
    file: `${executor}/lease.ts`,
    edits: [
      ['    if (measureSinceRenewalMs() > limits.leaseGiveUpMs) return loseLease()\n', ''],
      [
        'isRenewed === false || measureSinceRenewalMs() > limits.leaseGiveUpMs',
        'isRenewed === false',
      ],
    ],
    caughtBy: [testsOf(`${executor}/lease`)],
  },
  {
    name: 'a lease holds until its loss is noticed',
    breaks: 'begin: the deadline is on a clock that counts suspension',
    file: `${executor}/lease.ts`,
    edits: [
      [
        'holdsLease: () => !isLost && measureSinceRenewalMs() <= limits.leaseGiveUpMs',
        'holdsLease: () => !isLost',
      ],
    ],
    caughtBy: [testsOf(`${executor}/lease`)],
  },
  {
    name: 'an operation that killed its executors is reported as never called',
    breaks: 'only a living executor may report that a call was never made',
    file: 'shared/engine/executor/end-undeliverable.ts',
    edits: [
      ["attempt > givenBack ? 'interrupted' : 'failed'", "attempt > 99 ? 'interrupted' : 'failed'"],
    ],
    caughtBy: [testsOf('test/lifecycle/undeliverable')],
  },
  {
    name: 'more operations run at the same time than allowed',
    breaks: 'parallelism limits the calls that were sent and have not ended',
    file: 'shared/engine/deployment/dispatch/semaphore.ts',
    edits: [['while (freeCount > 0 &&', 'while (freeCount > -1 &&']],
    caughtBy: [testsOf('shared/engine/deployment/dispatch/semaphore')],
  },
  {
    name: 'a preview creates',
    breaks: 'I11: a preview changes nothing',
    file: 'shared/engine/executor/provider-call.ts',
    edits: [
      [
        '    timeoutSeconds: next.customTimeouts.create ?? 0,\n    preview,',
        '    timeoutSeconds: next.customTimeouts.create ?? 0,\n    preview: false,',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/deployments', 'preview')],
  },
]

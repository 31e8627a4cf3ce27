import { type Mutation, testsOf } from './mutation.ts'

const admission = 'shared/engine/executor/pool-admission'

/** Mutations of the rules for time limits: hand-over, parking, and the long pool. */
export const handOverMutations: readonly Mutation[] = [
  {
    name: 'a generator without progress is followed by one with the same limit',
    breaks: 'hand-over: a generator that decides nothing new is followed in the long pool',
    file: 'shared/engine/deployment/ownership/decide-hand-over.ts',
    edits: [
      ["hasProgress && isReplayShort ? 'short' : 'long'", "isReplayShort ? 'short' : 'long'"],
    ],
    caughtBy: [testsOf('shared/engine/deployment/ownership/decide-hand-over')],
  },
  {
    name: 'a generator that spends its time on replay is followed by one with the same limit',
    breaks: 'hand-over: a replay that takes a third of the time leads to the long pool',
    file: 'shared/engine/deployment/ownership/decide-hand-over.ts',
    edits: [["hasProgress && isReplayShort ? 'short' : 'long'", "hasProgress ? 'short' : 'long'"]],
    caughtBy: [testsOf('shared/engine/deployment/ownership/decide-hand-over')],
  },
  {
    name: 'a generator parks although it has decided nothing',
    breaks: 'hand-over: allowed only after new progress',
    file: 'shared/engine/deployment/ownership/decide-hand-over.ts',
    edits: [['status.hasCaughtUp && hasProgress', 'status.hasCaughtUp']],
    caughtBy: [testsOf('shared/engine/deployment/ownership/decide-hand-over')],
  },
  {
    name: 'a generator parks before it has seen the earlier ends',
    breaks: 'parking: an earlier end wakes no later generator',
    file: 'shared/engine/deployment/ownership/decide-hand-over.ts',
    edits: [['status.hasCaughtUp && hasProgress', 'hasProgress']],
    caughtBy: [testsOf('shared/engine/deployment/ownership/decide-hand-over')],
  },
  {
    name: 'a close does not check operations again that began and were given back meanwhile',
    breaks: 'close: operations that began again and were given back meanwhile are checked again',
    file: 'shared/engine/deployment/recovery/end-abandoned-operations.ts',
    edits: [['pendingIds = refusedIds', 'pendingIds = []']],
    caughtBy: [testsOf('shared/engine/deployment/recovery/end-abandoned-operations')],
  },
  {
    name: 'a process that no longer holds a deployment hands it over',
    breaks: 'I5: one decider',
    file: 'shared/platform/embedded/store/methods/control-methods.ts',
    edits: [['AND holder = ? AND closed = 0', 'AND ? IS NOT NULL AND closed = 0']],
    caughtBy: [testsOf('test/contract/embedded', 'control')],
  },
  {
    name: 'a long operation begins without enough remaining time',
    breaks:
      'long calls: an operation that does not fit into the remaining time goes to the long pool before its begin',
    file: `${admission}.ts`,
    edits: [['if (expectedMs <= time.remainingMs())', 'if (expectedMs <= time.startRemainingMs)']],
    caughtBy: [testsOf(admission)],
  },
  {
    name: 'an operation that does not fit into the remaining time is not passed on',
    breaks: 'I4: a message is removed only when its work is done or passed on',
    file: 'shared/engine/executor/executor.ts',
    edits: [['          await deferred.send()\n', '']],
    caughtBy: [testsOf('test/lifecycle/executor')],
  },
]

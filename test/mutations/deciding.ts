import { type Mutation, selectFirstSeeds, testsOf } from './mutation.ts'

const order = 'test/lifecycle/order-of-effects'
const deletes = 'test/property/deletes'

/**
 * Mutations of the code that decides, records decisions and replays them. `name` is the fault, and
 * `breaks` the rule that it breaks. `I1` to `I12` are the invariants of docs/architecture.md.
 */
export const decidingMutations: readonly Mutation[] = [
  {
    name: 'a deposed writer searches for the next free number',
    breaks: 'I5: after a takeover the appends of the old generator fail',
    file: 'shared/engine/deployment/log/log-writer.ts',
    edits: [
      [
        "        if (result === 'refused')\n",
        "        while ((await deps.decisionLog.append(cursor.deployment, { ...record, number: recordNumber as LogNumber })) === 'refused') recordNumber += 1\n" +
          '        if (appendError !== undefined)\n',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/deposed')],
  },
  {
    name: 'a chain is sent before its record is durable',
    breaks: 'messages of operations are sent only after the record of the operations is durable',
    file: 'shared/engine/generator/steps/deployment-runner.ts',
    edits: [
      ["await writer.append({ kind: 'registration',", "void writer.append({ kind: 'registration',"],
    ],
    caughtBy: [testsOf(order)],
  },
  {
    name: 'the messages of a plan are sent before its record',
    breaks: 'messages of operations are sent only after the record of the operations is durable',
    file: 'shared/engine/deployment/dispatch/run-plan.ts',
    edits: [
      [
        '  await deps.writer.append(...precedingDecisions, {',
        '  void deps.writer.append(...precedingDecisions, {',
      ],
    ],
    caughtBy: [testsOf(order)],
  },
  {
    name: 'a settled step is answered before its record is durable',
    breaks: 'the reply is sent when the end is durable',
    file: 'shared/engine/generator/steps/deployment-runner.ts',
    edits: [
      [
        "await writer.append({\n        kind: 'settled',",
        "void writer.append({\n        kind: 'settled',",
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments', 'durable, not before')],
  },
  {
    name: 'results of function calls are not recorded',
    breaks: 'I10: results of function calls are recorded before the next decision',
    file: 'shared/engine/generator/steps/deployment-runner.ts',
    edits: [
      [
        '    writer.defer({',
        '      const unwritten = [] as unknown[]\n' + '      unwritten.push({',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments')],
  },
  {
    name: 'recorded results are not reused',
    breaks: 'I10: the same program takes the same path',
    file: 'shared/engine/generator/steps/deployment-runner.ts',
    edits: [
      [
        'if (recordedAnswer !== undefined)\n',
        'if (recordedAnswer !== undefined && key === undefined)\n',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments')],
  },
  {
    name: 'a resumed run decides begun registrations again',
    breaks: 'I10: a registration keeps its decision if any of its operations began',
    file: 'shared/engine/generator/replay/replay-registration.ts',
    edits: [
      [
        'if (lastDecision.goal !== goalDigest && !(await keepUnlessWithdrawn(ctx, replay, lastDecision)))',
        'if (lastDecision.goal !== goalDigest)',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments')],
  },
  {
    name: 'a resumed run ignores the log',
    breaks: 'I10: a registration that was already decided gets the recorded decision',
    file: 'shared/engine/generator/replay/replay-registration.ts',
    edits: [
      [
        'if (replay === undefined || lastDecision === undefined) return toDecided(undefined)',
        'if (replay === undefined || lastDecision !== undefined) return toDecided(undefined)\n  if (lastDecision === undefined) return toDecided(undefined)',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments')],
  },
  {
    name: 'a resource that is not registered again after a crash is left behind',
    breaks: 'I9: a recorded resource that is not registered again is deleted',
    file: 'shared/engine/generator/replay/replay-registration.ts',
    edits: [
      [
        '    leftovers.push(trackedState)\n',
        '    if (urn.length < 0) leftovers.push(trackedState)\n',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments', 'registers fewer')],
  },
  {
    name: 'a resumed run numbers its operations from the start',
    breaks: 'operations: an id is unique and increasing in its deployment',
    file: 'functions/step-generator/run-deployment.ts',
    edits: [['let lastOperationId = earlierRuns?.lastOperationId ?? 0', 'let lastOperationId = 0']],
    caughtBy: [selectFirstSeeds(150)],
  },
  {
    name: 'a deployment is resumed with another program',
    breaks: 'resume: refuses when program, configuration or options changed',
    file: 'functions/step-generator/resume-deployment.ts',
    edits: [['firstPin.program !== request.programDigest)', "firstPin.program === '')"]],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments', 'for another program')],
  },
  {
    name: 'a deployment that was stopped is resumed',
    breaks: 'resume: refuses a deployment whose stop flag is set',
    file: 'functions/step-generator/resume-deployment.ts',
    edits: [
      ["return control !== undefined && control.stop !== 'none'", 'return control === undefined'],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments', 'after a stop')],
  },
  {
    name: 'a deposed generator sets the stop flag',
    breaks: 'close: a deposed generator may not set the stop flag',
    file: 'functions/step-generator/run-deployment.ts',
    edits: [
      [
        "await (stopAppend ??= startedDeployment.writer.append({ kind: 'phase', phase: 'stopping' }))",
        '',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/deposed')],
  },
  {
    name: 'the stop flag is set before the closing record',
    breaks: 'close: a closing record in the log first',
    file: 'functions/step-generator/run-deployment.ts',
    edits: [
      [
        '    runFlags.isClosing = true\n',
        '    runFlags.isClosing = true\n' +
          "    await ports.control.stop(deployment, 'graceful')\n",
      ],
    ],
    caughtBy: [testsOf(order)],
  },
  {
    name: 'an unchanged resource is written',
    breaks: 'I12: an unchanged resource costs no write',
    file: 'shared/engine/generator/steps/run-steps.ts',
    edits: [
      [
        'const isUnchanged = areEqualResources(old.state, state)',
        'const isUnchanged = old.state === state',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments', 'costs no write')],
  },
  {
    name: 'a resource with a changed option is not written',
    breaks: 'a resource stays unwritten only if every persisted field equals the base',
    file: 'shared/state/equal-resources.ts',
    edits: [["  'protect',\n", '']],
    caughtBy: [testsOf('shared/state/equal-resources')],
  },
  {
    name: 'a resource is deleted before its dependents',
    breaks: 'deletes: released when the last dependent is deleted',
    file: 'shared/engine/graph/delete-edges.ts',
    edits: [
      [
        'addEdge(copyIndex)\n        if (copyIndex >= index',
        'if (copyIndex % 2 === 0) addEdge(copyIndex)\n        if (copyIndex >= index',
      ],
    ],
    caughtBy: [testsOf(deletes)],
  },
  {
    name: 'a parent is deleted before its children',
    breaks: 'deletes: no resource before its dependents, including children',
    file: 'shared/engine/graph/delete-edges.ts',
    edits: [["if (state.parent !== '')", "if (state.parent === '')"]],
    caughtBy: [testsOf('shared/engine/graph/delete-edges')],
  },
  {
    name: 'a replaced resource is deleted before its dependents',
    breaks: 'deletes: a replaced state waits for the states that name its URN',
    file: 'shared/engine/graph/delete-edges.ts',
    edits: [
      ['if (laterCopies.length > 0) addWaitEdges', 'if (laterCopies.length < 0) addWaitEdges'],
    ],
    caughtBy: [testsOf('shared/engine/graph/delete-edges')],
  },
  {
    name: 'a provider is deleted before its resources',
    breaks: 'deletes: no resource before its dependents, including those of providers',
    file: 'shared/engine/graph/delete-edges.ts',
    edits: [
      [
        'if (provider !== undefined) dependencyUrns.add(provider)',
        'if (provider !== undefined) dependencyUrns.delete(provider)',
      ],
    ],
    caughtBy: [testsOf('shared/engine/graph/delete-edges')],
  },
  {
    name: 'joins lose some of their needs',
    breaks: 'a join needs every operation that it gathers',
    file: 'shared/engine/graph/joins.ts',
    edits: [
      [
        'for (const source of level.slice(start, start + edgesPerOperationMax))',
        'for (const source of level.slice(start, start + edgesPerOperationMax - 1))',
      ],
    ],
    caughtBy: [testsOf('shared/engine/graph/joins')],
  },
  {
    name: 'a join gathers any number of operations',
    breaks: 'joins: no operation needs or releases more than 32 others',
    file: 'shared/engine/graph/joins.ts',
    edits: [['const { edgesPerOperationMax } = limits', 'const edgesPerOperationMax = 10_000']],
    caughtBy: [testsOf('shared/engine/graph/joins')],
  },
  {
    name: 'a wave begins before the previous one is over',
    breaks: 'release antichain: a barrier between waves',
    file: 'shared/engine/graph/barriers.ts',
    edits: [
      [
        'previousReleases = [...(waves[index + 1] ?? [])]',
        'previousReleases = [...(waves[index + 2] ?? [])]',
      ],
    ],
    caughtBy: [testsOf(deletes)],
  },
  {
    name: 'the dependencies of a resource whose change failed are deleted',
    breaks: 'I7: a state without its dependencies is not valid',
    file: 'shared/engine/generator/deletion/condemned-steps.ts',
    edits: [
      [
        'for (const dependencyUrn of dependencyUrnsOf(state)) requiredUrns.add(dependencyUrn)',
        'for (const dependencyUrn of dependencyUrnsOf(state)) requiredUrns.delete(dependencyUrn)',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/failures', 'when the update of its dependent failed')],
  },
]

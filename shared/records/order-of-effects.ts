/** One effect of a handler: what it changes outside its process. */
export interface Effect {
  /** Port and method, or what is asked of a provider; a log record with what it decides. */
  readonly call: string
  readonly what: string
  /** What holds when the process dies right after it. */
  readonly ifDead: string
}

/** What one handler does in one go, in order. */
export interface EffectList {
  readonly handler: string
  readonly when: string
  readonly effects: readonly Effect[]
}

/**
 * The effects of every handler in the order in which they happen. The page
 * `docs/order-of-effects.md` is made from it, and the crash suite kills a process before and after
 * each of them (`test/lifecycle/resume.ts`).
 */
export const orderOfEffects = {
  start: {
    handler: 'step-generator',
    when: 'a deployment starts',
    effects: [
      {
        call: 'catalog.start',
        what: 'the next number of the stack, if no deployment is current',
        ifDead: 'the stack is taken; whoever finds no control record for 3 s closes it',
      },
      {
        call: 'control.create',
        what: 'the control record, which names the holder',
        ifDead: 'the holder is known to be dead; nothing was decided',
      },
      {
        call: 'log.append takeover',
        what: 'the first record: this life writes the log',
        ifDead: 'nothing was decided',
      },
      {
        call: 'log.append pin',
        what: 'base version, options, program and configuration',
        ifDead: 'it can be resumed from here on; nothing was asked of anyone',
      },
    ],
  },
  settle: {
    handler: 'step-generator',
    when: 'a component, a provider or an unchanged resource of which something kept differs',
    effects: [
      {
        call: 'log.append settled',
        what: 'the decision with the whole new state',
        ifDead: 'the state is in every fold',
      },
    ],
  },
  register: {
    handler: 'step-generator',
    when: 'a registration comes to operations',
    effects: [
      {
        call: 'log.append registration',
        what: 'the decision with its chain of operations, after the answers it was made upon',
        ifDead: 'nobody was told: the sweep sends it',
      },
      {
        call: 'chains.send',
        what: 'the first operation of the chain',
        ifDead: 'an executor runs it; nobody waits until somebody resumes',
      },
    ],
  },
  operate: {
    handler: 'step-executor',
    when: 'an operation is delivered',
    effects: [
      {
        call: 'operations.begin',
        what: 'owner and attempt, if all that it needs has arrived; then control and lease are read',
        ifDead:
          'nobody knows whether the provider was asked: a create is interrupted, others run again',
      },
      {
        call: 'provider call',
        what: 'one call of Create, Update, Delete or Read',
        ifDead: 'as after the begin',
      },
      {
        call: 'operations.putOutcome',
        what: 'what the attempt came to, for ever',
        ifDead: 'whoever recovers it selects this outcome',
      },
      {
        call: 'operations.select',
        what: 'the outcome becomes the end',
        ifDead: 'the sweep redoes the arrivals',
      },
      {
        call: 'operations.arrive',
        what: 'noted at each operation that waits for it; complete joins are ended the same way',
        ifDead: 'the sweep redoes the others and sends what is ready',
      },
      {
        call: 'chains.send',
        what: 'what became ready, unless it is one operation alone, which is run next',
        ifDead: 'the message comes again and finds everything done',
      },
      {
        call: 'chains.remove',
        what: 'the message is done with',
        ifDead: 'nothing is lost',
      },
    ],
  },
  late: {
    handler: 'step-executor',
    when: 'a create comes back after its owner was taken for dead and its operation ended',
    effects: [
      {
        call: 'operations.putOutcome',
        what: 'the outcome, under its own key',
        ifDead: 'the next deployment finds it beside the pending create',
      },
      {
        call: 'catalog.putLate',
        what: 'what was made, into the inbox of the stack',
        ifDead: 'the next deployment takes it',
      },
      {
        call: 'chains.remove',
        what: 'the message is done with',
        ifDead: 'nothing is lost',
      },
    ],
  },
  take: {
    handler: 'step-generator',
    when: 'a deployment starts and something came late',
    effects: [
      {
        call: 'blobs.put',
        what: 'the base with what was taken',
        ifDead: 'it belongs to nobody',
      },
      {
        call: 'log.append pin',
        what: 'that base, and the keys of what it took',
        ifDead: 'whoever takes over removes them from the inbox',
      },
      {
        call: 'catalog.removeLate',
        what: 'the inbox no longer has them',
        ifDead: 'nothing is lost',
      },
    ],
  },
  plan: {
    handler: 'step-generator',
    when: 'deletes or a refresh are planned',
    effects: [
      {
        call: 'blobs.put',
        what: 'pages of at most 500 operations',
        ifDead: 'they belong to nobody: the plan is made again',
      },
      {
        call: 'log.append plan',
        what: 'the plan exists, together with the end of the program for deletes of an up',
        ifDead: 'it is followed; it is never made a second time',
      },
      {
        call: 'chains.send',
        what: 'what needs nothing',
        ifDead: 'executors release the rest; the sweep sends what was not sent',
      },
    ],
  },
  close: {
    handler: 'step-generator',
    when: 'a deployment ends, or somebody closes one that died',
    effects: [
      {
        call: 'log.append closing',
        what: 'nothing is decided after it',
        ifDead: 'whoever takes over only closes',
      },
      {
        call: 'control.stop',
        what: 'nothing begins after it; what runs is awaited, what was left gets its end',
        ifDead: 'as before',
      },
      {
        call: 'blobs.put',
        what: 'the fold',
        ifDead: 'the next close folds to the same bytes',
      },
      {
        call: 'catalog.publish',
        what: 'the snapshot pointer moves from the pinned version',
        ifDead: 'the next close finds it moved to its own fold',
      },
      {
        call: 'control.close',
        what: 'late messages are dropped',
        ifDead: 'the release is redone by whoever looks',
      },
      {
        call: 'catalog.release',
        what: 'the stack is free, the history has its line',
        ifDead: 'it is over',
      },
      {
        call: 'nudges.nudge',
        what: 'whoever waits for the stack looks at once',
        ifDead: 'it looks by itself',
      },
    ],
  },
  leave: {
    handler: 'step-generator',
    when: 'its time is over, or it only waits; the decisions under way are durable by then',
    effects: [
      {
        call: 'control.handOver',
        what: 'the deployment is left to the next life, after the program of this one was killed',
        ifDead: 'the holder is known to be dead: the deployment goes on as after any death',
      },
      {
        call: 'nudges.nudge',
        what: 'the next life begins, unless an end is to wake it',
        ifDead: 'as before',
      },
    ],
  },
  wake: {
    handler: 'step-generator',
    when: 'a nudge comes to a deployment that was left or whose holder died',
    effects: [
      {
        call: 'log.append takeover',
        what: 'this life writes the log; what an earlier one appends is refused',
        ifDead: 'the next one takes over from it',
      },
      {
        call: 'control.hold',
        what: 'the control record names it, and no hand-over any more',
        ifDead: 'the next one takes over from it',
      },
    ],
  },
  move: {
    handler: 'step-executor',
    when: 'an operation needs more time than this executor has',
    effects: [
      {
        call: 'chains.send',
        what: 'a message of its own: to the same pool, or to the one without a time limit',
        ifDead: 'the first message comes again; the second begin is refused',
      },
      {
        call: 'chains.remove',
        what: 'the message is done with',
        ifDead: 'nothing is lost',
      },
    ],
  },
  slow: {
    handler: 'step-executor',
    when: 'a provider took long, after the select and before the arrivals',
    effects: [
      {
        call: 'catalog.noteSlow',
        what: 'how long: the next operation of the kind is given so much time',
        ifDead: 'the next one may begin where it does not fit, and is awaited beyond the time',
      },
    ],
  },
} as const satisfies Record<string, EffectList>

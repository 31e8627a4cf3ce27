import { limits } from '../../config/limits.ts'
import { DeploymentAborted } from '../generator/finish-stage.ts'
import type { Callbacks } from './callbacks.ts'
import { createFifo } from '../../values/fifo.ts'

/**
 * The limit of registrations that are decoded and decided at the same time. The others wait in the
 * order of their arrival, and need little memory while they wait.
 */
export interface RegistrationWindow {
  /**
   * Runs a registration when the window has room for it. Throws `DeploymentAborted` if the window
   * is closed first.
   */
  readonly enter: <T>(register: () => Promise<T>) => Promise<T>
  /**
   * Widens the window by one registration until a call ends, and returns its result. The call waits
   * for the program or for a component, which may register resources before they answer.
   */
  readonly widenDuring: <T>(call: Promise<T>) => Promise<T>
  /** Sets how many registrations the window holds. The default is that of `limits`. */
  readonly resize: (sizeMax: number) => void
  /** Refuses all waiting and all later registrations. */
  readonly close: () => void
}

/** Returns how many registrations a window holds if `parallel` operations may run. Pure. */
export function windowSizeOf(parallel: number): number {
  return Math.max(limits.registrationsInWindow, 2 * parallel)
}

/**
 * Creates an empty window. A registration in the window may wait for providers, for the store and
 * for others in the window. It may also wait for calls to the program or to components. Each
 * pending call of this kind widens the window by one. So a registration that such a call makes
 * always proceeds. Each time the window becomes wider, `onWidened` is called with the new size.
 * This is also the largest number of registrations that may wait for others.
 */
export function createRegistrationWindow(
  onWidened: (waitingMax: number) => void = () => undefined,
): RegistrationWindow {
  const waitingEntries = createFifo<{ readonly admit: () => void; readonly refuse: () => void }>()
  let sizeMax: number = limits.registrationsInWindow
  let enteredCount = 0
  let callCount = 0
  let isClosed = false
  const admitNext = (): void => {
    while (enteredCount < sizeMax + callCount) {
      const entry = waitingEntries.take()
      if (entry === undefined) return
      enteredCount += 1
      entry.admit()
    }
  }
  const run = async <T>(register: () => Promise<T>): Promise<T> => {
    try {
      return await register()
    } finally {
      enteredCount -= 1
      admitNext()
    }
  }
  return {
    enter(register) {
      if (isClosed) return Promise.reject(new DeploymentAborted())
      return new Promise((resolve, reject) => {
        waitingEntries.add({
          admit: () => resolve(run(register)),
          refuse: () => reject(new DeploymentAborted()),
        })
        admitNext()
      })
    },
    async widenDuring(call) {
      callCount += 1
      onWidened(sizeMax + callCount)
      admitNext()
      try {
        return await call
      } finally {
        callCount -= 1
      }
    },
    resize(newSizeMax) {
      sizeMax = newSizeMax
      onWidened(sizeMax + callCount)
      admitNext()
    },
    close() {
      isClosed = true
      for (let entry = waitingEntries.take(); entry !== undefined; entry = waitingEntries.take())
        entry.refuse()
    },
  }
}

/** Returns callbacks that widen a window during each call to a function of the program. */
export function withWindow(callbacks: Callbacks, window: RegistrationWindow): Callbacks {
  return {
    ...callbacks,
    invoke: (callback, request) => window.widenDuring(callbacks.invoke(callback, request)),
  }
}

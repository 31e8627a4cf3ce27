import { limits } from '../../../config/limits.ts'
import type { StoreOwner } from './store-owner.ts'

/** The wait of a process that is neither the owner of the store nor connected to it. */
export interface OwnerWait {
  /** Reports whether to give up, because the present owner, or the whole wait, takes too long. */
  readonly isOver: (owner: StoreOwner | undefined, nowMs: number) => boolean
  /** Returns the next pause in ms. Pauses grow, so that waiting processes do not slow the owner. */
  readonly nextPauseMs: () => number
}

/**
 * Starts a wait at `startMs`. The time limit for one owner begins again when that owner ends, or
 * when a new owner appears.
 */
export function createOwnerWait(startMs: number): OwnerWait {
  let lastPid: number | undefined
  let silentSinceMs = startMs
  let pauseMs = limits.storeConnectPauseMs / 2
  return {
    isOver(owner, nowMs) {
      // The first owner has been silent since the start of the wait. The end of an owner is
      // progress, because the store is then free.
      if (owner?.pid !== lastPid && lastPid !== undefined) silentSinceMs = nowMs
      lastPid = owner?.pid
      const limitMs = owner?.state === 'running' ? limits.storeBusyOwnerMs : limits.storeConnectMs
      return nowMs - silentSinceMs >= limitMs || nowMs - startMs >= limits.storeConnectTotalMs
    },
    nextPauseMs() {
      pauseMs = Math.min(pauseMs * 2, limits.storeConnectPauseMaxMs)
      return pauseMs
    },
  }
}

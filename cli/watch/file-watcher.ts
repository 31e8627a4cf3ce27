import { type FSWatcher, watch } from 'node:fs'
import { findChangedFiles, scanWatchedFiles, type WatchedFiles } from './scan-watched-files.ts'

/** A watcher of files. Events of the system are hints only: the comparison of two scans decides. */
export interface FileWatcher {
  /**
   * Waits until files differ from those at the last call, and until no file has changed for the
   * quiet time. Returns the paths of the changed files, or none if `signal` was aborted.
   */
  readonly waitForChanges: (signal: AbortSignal) => Promise<readonly string[]>
  readonly close: () => void
}

/** A change counts after this time without further changes. Editors write several files at once. */
const quietMs = 200
/** The interval of scans when the system cannot watch all folders. */
const pollMs = 1_000

/** Creates a watcher of the files below `roots`, which are absolute paths. */
export function createFileWatcher(roots: readonly string[]): FileWatcher {
  let lastScan = scanWatchedFiles(roots)
  const hints = createHints(lastScan)
  return {
    async waitForChanges(signal) {
      while (!signal.aborted) {
        await hints.next(signal)
        if (signal.aborted) break
        const currentScan = scanWatchedFiles(roots)
        const changedPaths = findChangedFiles(lastScan.files, currentScan.files)
        lastScan = currentScan
        hints.watchFolders(currentScan)
        if (changedPaths.length > 0) return changedPaths
      }
      return []
    },
    close: hints.close,
  }
}

interface Hints {
  /** Waits for a hint and then for the quiet time. */
  readonly next: (signal: AbortSignal) => Promise<void>
  readonly watchFolders: (files: WatchedFiles) => void
  readonly close: () => void
}

/** Watches each folder by itself, because a recursive watch includes all ignored folders. */
function createHints(initialFiles: WatchedFiles): Hints {
  const watchers = new Map<string, FSWatcher>()
  let hintCount = 0
  let mustPoll = false
  let wake = (): void => {}
  const onHint = (): void => {
    hintCount += 1
    wake()
  }
  const openWatcher = (folder: string): void => {
    try {
      const watcher = watch(folder, onHint)
      watcher.on('error', () => {
        // After an error, the system no longer reports changes of this folder.
        watchers.delete(folder)
        mustPoll = true
        onHint()
      })
      watchers.set(folder, watcher)
    } catch {
      mustPoll = true
    }
  }
  const watchFolders: Hints['watchFolders'] = ({ folders }) => {
    const wantedFolders = new Set(folders)
    for (const [folder, watcher] of watchers)
      if (!wantedFolders.has(folder)) {
        watcher.close()
        watchers.delete(folder)
      }
    for (const folder of wantedFolders) if (!watchers.has(folder)) openWatcher(folder)
  }
  const pause = (timeMs: number | undefined, signal: AbortSignal): Promise<void> =>
    new Promise(resolve => {
      let timer: NodeJS.Timeout | undefined
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        wake = () => {}
        resolve()
      }
      if (timeMs !== undefined) timer = setTimeout(end, timeMs)
      wake = end
      signal.addEventListener('abort', end)
    })
  watchFolders(initialFiles)
  return {
    watchFolders,
    async next(signal) {
      if (hintCount === 0) await pause(mustPoll ? pollMs : undefined, signal)
      do {
        hintCount = 0
        if (!signal.aborted) await pause(quietMs, signal)
      } while (hintCount > 0 && !signal.aborted)
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

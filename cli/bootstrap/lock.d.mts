/** Acquires the lock, a folder, and returns the function that releases it. */
export function acquireFolderLock(folder: string): Promise<() => void>

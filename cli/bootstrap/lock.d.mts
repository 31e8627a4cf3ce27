/** Takes the lock, a folder, and answers how to give it back. */
export function takeLock(folder: string): Promise<() => void>

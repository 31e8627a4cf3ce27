/** A thread that accepts an input, refuses two, finds a defect, and hangs at the fifth input. */
import { parentPort, workerData } from 'node:worker_threads'
import { type FuzzMessage, type FuzzTask, progressPlaces } from './fuzz-task.ts'

const { from, progress } = workerData as FuzzTask
Atomics.store(progress, progressPlaces.acceptedCount, 1)
Atomics.store(progress, progressPlaces.refusedCount, 2)
Atomics.store(progress, progressPlaces.currentIndex, from + 3)
const defect = { index: from + 3, input: 'YQ==', problem: 'a defect' }
parentPort?.postMessage({ kind: 'defect', defect } satisfies FuzzMessage)
Atomics.store(progress, progressPlaces.currentIndex, from + 4)
for (;;);

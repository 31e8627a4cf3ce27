import { useEffect, useState } from 'react'

/** Returns the current time in ms, updated at an interval. With 0 it is not updated. */
export function useNow(intervalMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    if (intervalMs === 0) return
    const timer = setInterval(() => setNowMs(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return nowMs
}

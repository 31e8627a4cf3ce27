import { useMemo, useSyncExternalStore } from 'react'
import { type PageRoute, parseRoute } from './page-route.ts'

/** Returns the page that the address of the browser names. */
export function useRoute(): PageRoute {
  const fragment = useSyncExternalStore(subscribe, () => location.hash)
  return useMemo(() => parseRoute(fragment), [fragment])
}

/** Opens the page of a fragment, with a new entry in the history of the browser. */
export function openRoute(fragment: string): void {
  location.hash = fragment
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}

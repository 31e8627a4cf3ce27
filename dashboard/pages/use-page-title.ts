import { type RefObject, useEffect, useRef } from 'react'

/**
 * Sets the title of the browser's tab. Returns the reference of the page's heading, which gets the
 * focus when the page is opened, so that screen readers announce it.
 */
export function usePageTitle(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Antichain`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return heading
}

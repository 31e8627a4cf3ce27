import { useState } from 'react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { applyTheme, readTheme, type Theme, themes } from '../session/theme.ts'

const symbols: Readonly<Record<Theme, string>> = {
  system: 'M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13',
  light:
    'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1',
  dark: 'M13 9.8A5.6 5.6 0 0 1 6.2 3a5.6 5.6 0 1 0 6.8 6.8z',
}

/** Shows the choice of a color theme. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme)
  const select = (next: Theme): void => {
    setTheme(next)
    applyTheme(next)
  }
  return (
    <ToggleButtonGroup
      className="theme-switch"
      aria-label="Color theme"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[theme]}
      onSelectionChange={keys => select(themes.find(name => keys.has(name)) ?? 'system')}
    >
      {themes.map(name => (
        <ToggleButton key={name} id={name} aria-label={`Theme: ${name}`}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={symbols[name]} />
          </svg>
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}

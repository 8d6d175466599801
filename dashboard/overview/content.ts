import { lazyRouteComponent } from '@tanstack/react-router'
import { loadPlot } from '../charts/plot.tsx'

/** A workspace shows one of these, so the first load leaves the other out. */
export const FirstSteps = lazyRouteComponent(() => import('./first-steps.tsx'), 'FirstSteps')
export const Figures = lazyRouteComponent(() => import('./figures.tsx'), 'Figures')

/** Loads it before the page is shown, so that nothing jumps. */
export const loadContent = async ({ message }: { message: boolean }): Promise<unknown> =>
  message ? Promise.all([Figures.preload?.(), loadPlot()]) : FirstSteps.preload?.()

import { useNavigate, useSearch } from '@tanstack/react-router'

/** Whether the dialog that adds to the page's list is open: as the address says, so that the palette can open it. */
export function useNew(page: '/w/$workspaceId/keys' | '/w/$workspaceId/blocked') {
  const { new: isOpen = false } = useSearch({ from: page })
  const navigate = useNavigate({ from: page })
  const open = (): void => void navigate({ to: '.', search: { new: true }, resetScroll: false })
  const close = (): void => void navigate({ to: '.', search: {}, replace: true, resetScroll: false })
  return [isOpen, { open, close }] as const
}

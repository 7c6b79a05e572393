import { mountSidebar } from './components/Sidebar'
import { LoginForm } from './components/LoginForm'
import { isEnabled } from './flags'

export function start(root: HTMLElement): void {
  mountSidebar(root)
  if (isEnabled('new-login')) {
    root.append(new LoginForm().render())
  }
}

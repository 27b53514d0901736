;;; hearth.el --- Ghost text from Hearth -*- lexical-binding: t -*-

;; Works in Emacs 28 and later, beside eglot or lsp-mode: both use one server for a buffer, which the server of the
;; language should be, so this file speaks to Hearth itself, with the jsonrpc library of Emacs.
;;
;;   (load "/path/to/hearth/docs/editors/hearth.el")
;;   (setq hearth-command '("node" "/path/to/hearth/dist/hearth.js" "lsp" "--stdio"))
;;   (add-hook 'prog-mode-hook #'hearth-mode)

;;; Code:

(require 'jsonrpc)
(require 'url-util)

(defvar hearth-command '("node" "dist/hearth.js" "lsp" "--stdio")
  "How to start the server.")
(defvar hearth-settings nil
  "Settings as in VS Code, without \"hearth.\", such as (:completion.confidence \"eager\").")
(defvar hearth-shares-open-documents nil
  "Whether suggestions may use code of the other buffers in `default-directory' of the first one.")
(defvar hearth-delay 0.05
  "Seconds after a key until a suggestion is asked for.")
(defface hearth-ghost '((t :inherit shadow)) "Ghost text.")

(defvar hearth--connection nil)
(defvar hearth--timer nil)
(defvar-local hearth--version 0)
(defvar-local hearth--text nil "What the server knows of this buffer.")
(defvar-local hearth--opened nil "The connection on which this buffer was opened, and as which URI. Nil while it is not open.")
(put 'hearth--version 'permanent-local t)
(put 'hearth--text 'permanent-local t)
(put 'hearth--opened 'permanent-local t)
(defvar-local hearth--overlay nil "Nil unless ghost text is shown. Its property `hearth-item' is the suggestion.")

(defvar hearth-shown-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "TAB") #'hearth-accept)
    (define-key map (kbd "<tab>") #'hearth-accept)
    (define-key map (kbd "C-g") #'hearth-dismiss)
    map)
  "Keys while ghost text is shown.")

(defun hearth--uri ()
  (concat "file://" (url-hexify-string (or buffer-file-name (concat "/" (buffer-name))) url-path-allowed-chars)))

(defun hearth--language ()
  (replace-regexp-in-string "\\(-ts\\)?-mode\\'" "" (symbol-name major-mode)))

(defun hearth--utf16 (text)
  (/ (length (encode-coding-string text 'utf-16be)) 2))

(defun hearth--position ()
  (list :line (1- (line-number-at-pos nil t))
        :character (hearth--utf16 (buffer-substring-no-properties (line-beginning-position) (point)))))

(defun hearth--point (position)
  "The point of a POSITION of the protocol."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line (plist-get position :line))
      (let ((rest (plist-get position :character)))
        (while (and (> rest 0) (not (eolp)))
          (setq rest (- rest (hearth--utf16 (string (char-after)))))
          (forward-char)))
      (point))))

(defun hearth--start ()
  (unless (and hearth--connection (jsonrpc-running-p hearth--connection))
    (let ((folder (concat "file://" (directory-file-name (expand-file-name default-directory)))))
      (setq hearth--connection
            (make-instance
             'jsonrpc-process-connection
             :name "hearth"
             :process (lambda ()
                        (make-process :name "hearth" :command hearth-command :connection-type 'pipe
                                      :coding 'utf-8-emacs-unix :noquery t :stderr (get-buffer-create " *hearth errors*")))
             :notification-dispatcher #'hearth--notified))
      (jsonrpc-request
       hearth--connection 'initialize
       (list :processId (emacs-pid) :rootUri folder :capabilities '(:workspace (:workspaceFolders t))
             :workspaceFolders (vector (list :uri folder :name folder))
             :initializationOptions
             (list :settings (or hearth-settings (make-hash-table))
                   :sharesOpenDocuments (if hearth-shares-open-documents t :json-false)
                   :asksAgain t)))
      (jsonrpc-notify hearth--connection 'initialized (make-hash-table))))
  hearth--connection)

(defun hearth--notified (_connection method _params)
  (when (eq method 'hearth/grown)
    (with-current-buffer (window-buffer) (hearth--ask))))

(defun hearth--tell ()
  "Tell the server what the buffer contains, unless it knows.
A server that was started anew, or a buffer with another file or mode, makes the buffer be opened anew."
  (let ((text (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))
        (opened (list (hearth--start) (hearth--uri) (hearth--language))))
    (unless (equal opened hearth--opened) (hearth--close))
    (cond
     ((null hearth--opened)
      (jsonrpc-notify hearth--connection 'textDocument/didOpen
                      (list :textDocument (list :uri (hearth--uri) :languageId (hearth--language)
                                                :version (setq hearth--version (1+ hearth--version)) :text text))))
     ((not (string= text hearth--text))
      (jsonrpc-notify hearth--connection 'textDocument/didChange
                      (list :textDocument (list :uri (hearth--uri) :version (setq hearth--version (1+ hearth--version)))
                            :contentChanges (vector (list :text text))))))
    (setq hearth--text text
          hearth--opened opened)))

(defun hearth--ask ()
  (when (and hearth-mode (not buffer-read-only))
    (hearth--tell)
    (let ((buffer (current-buffer)) (tick (buffer-chars-modified-tick)) (place (point)))
      (jsonrpc-async-request
       hearth--connection 'textDocument/inlineCompletion
       (list :textDocument (list :uri (hearth--uri)) :position (hearth--position) :context '(:triggerKind 2))
       :success-fn
       (lambda (answer)
         (when (eq buffer (window-buffer))
           (with-current-buffer buffer
             (when (and (= tick (buffer-chars-modified-tick)) (= place (point)))
               (hearth--show (plist-get answer :items))))))
       :error-fn #'ignore
       :timeout-fn #'ignore))))

(defun hearth--show (items)
  (hearth-dismiss)
  (when (> (length items) 0)
    (let* ((item (elt items 0))
           (text (propertize (plist-get item :insertText) 'face 'hearth-ghost)))
      (put-text-property 0 1 'cursor t text)
      (setq hearth--overlay (make-overlay (point) (point)))
      (overlay-put hearth--overlay 'hearth-item item)
      (overlay-put hearth--overlay 'after-string text))))

(defun hearth-dismiss ()
  "Hide the ghost text."
  (interactive)
  (when hearth--overlay (delete-overlay hearth--overlay))
  (setq hearth--overlay nil))

(defun hearth-accept ()
  "Insert the ghost text."
  (interactive)
  (when hearth--overlay
    (let* ((item (overlay-get hearth--overlay 'hearth-item))
           (range (plist-get item :range))
           (start (hearth--point (plist-get range :start)))
           (end (hearth--point (plist-get range :end))))
      (hearth-dismiss)
      (goto-char start)
      (delete-region start end)
      (insert (plist-get item :insertText)))))

(defun hearth--after-command ()
  (when hearth--timer (cancel-timer hearth--timer))
  (unless (memq this-command '(hearth-accept hearth-dismiss))
    (hearth-dismiss)
    (let ((buffer (current-buffer)))
      (setq hearth--timer
            (run-with-idle-timer hearth-delay nil
                                 (lambda () (when (eq buffer (current-buffer)) (hearth--ask))))))))

(defun hearth--close ()
  (hearth-dismiss)
  (when (and hearth--opened (jsonrpc-running-p (car hearth--opened)))
    (jsonrpc-notify (car hearth--opened) 'textDocument/didClose (list :textDocument (list :uri (cadr hearth--opened)))))
  (setq hearth--opened nil))

;;;###autoload
(define-minor-mode hearth-mode
  "Suggestions of Hearth as ghost text."
  :lighter " Hearth"
  (cond
   (hearth-mode
    (add-to-list 'minor-mode-overriding-map-alist (cons 'hearth--overlay hearth-shown-map))
    (add-hook 'post-command-hook #'hearth--after-command nil t)
    (add-hook 'kill-buffer-hook #'hearth--close nil t))
   (t
    (remove-hook 'post-command-hook #'hearth--after-command t)
    (remove-hook 'kill-buffer-hook #'hearth--close t)
    (hearth--close))))

(provide 'hearth)
;;; hearth.el ends here
